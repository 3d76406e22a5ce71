package tidegate.sparksuites

import org.scalatest.funsuite.AnyFunSuite

/** What a run of Spark's suites makes of a test, by the list of expected differences. */
class VerdictSuite extends AnyFunSuite {
  private val expected = ExpectedDifferences.parse(
    Seq("# Title", "## A reason", "Why.", "- own, slowest | ASuite | a | b", "- own | ASuite | c")
  )

  private def verdict(mode: String)(outcomes: (String, Boolean)*) = new Verdict(
    mode,
    outcomes.map { case (title, passed) =>
      Outcome(mode, SuiteTest("ASuite", title), Option.unless(passed)(new Exception))
    },
    expected
  )

  test("a test that is listed and fails is as expected") {
    val result = verdict("own")("a | b" -> false, "c" -> false, "d" -> true)
    assert(result.problems === Nil)
    assert(result.differences === Map("A reason" -> 2))
    assert(
      result.summary === "own          1 suites     3 tests     1 passed    2 expected " +
        "differences    0 problems"
    )
  }

  test("an entry holds in its modes alone") {
    assert(verdict("slowest")("a | b" -> false, "c" -> true).problems === Nil)
    assert(
      verdict("extension")("a | b" -> false).problems === Seq(
        "extension: failed, and is not listed: ASuite: a | b"
      )
    )
  }

  test("a test that is listed and passes is a problem") {
    assert(
      verdict("own")("a | b" -> true, "c" -> false).problems === Seq(
        "own: passed, and is listed as a difference: ASuite: a | b. Remove the entry."
      )
    )
  }

  test("a test that is listed and does not run is a problem") {
    assert(
      verdict("own")("c" -> false).problems === Seq(
        "own: is listed as a difference, and did not run: ASuite: a | b"
      )
    )
  }

  test("a test that fails twice counts once, an entry that is there twice is a problem") {
    val twice = new Verdict(
      "own",
      Seq.fill(2)(Outcome("own", SuiteTest("ASuite", "c"), Some(new Exception))),
      expected.drop(1) ++ expected.drop(1)
    )
    assert(twice.problems === Seq("own: is listed twice: ASuite: c"))
  }

  test("a line without a heading, with an unknown mode or with no title is refused") {
    Seq(Seq("- own | ASuite | c"), Seq("## R", "- mine | ASuite | c"), Seq("## R", "- own | c"))
      .foreach { lines =>
        val error = intercept[IllegalArgumentException](ExpectedDifferences.parse(lines))
        assert(
          error.getMessage === s"Line ${lines.size} of the expected differences is " +
            s"'${lines.last}'. It has to stand below a heading '## reason' and to be " +
            "'- modes | suite | title', with modes of extension, slowest, own."
        )
      }
  }

  test("a suite runs in all modes, or in those that are named") {
    val listed = ListedSuite.parse(Seq("# All", "", "streaming.ASuite", "BSuite | own, slowest"))
    assert(listed.map(_.name) === Seq("ASuite", "BSuite"))
    assert(listed.map(_.modes) === Seq(Mode.names, Set("own", "slowest")))
    assert(listed.head.className === "org.apache.spark.sql.streaming.ASuite")
  }

  test("a suite with an unknown mode is refused") {
    val error = intercept[IllegalArgumentException](ListedSuite.parse(Seq("ASuite | mine")))
    assert(
      error.getMessage === "'ASuite | mine' in the list of suites has to be the name of a class " +
        "without org.apache.spark.sql., and after ' | ' modes of extension, slowest, own, or no " +
        "modes for all."
    )
  }
}
