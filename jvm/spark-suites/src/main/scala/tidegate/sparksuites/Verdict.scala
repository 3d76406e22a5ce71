package tidegate.sparksuites

/** A test of one of Spark's suites, by the suite's simple name. */
private[sparksuites] final case class SuiteTest(suite: String, title: String) {
  override def toString: String = s"$suite: $title"
}

/** What a test gave in a mode; `failure` is empty if the test has passed. */
private[sparksuites] final case class Outcome(
    mode: String,
    test: SuiteTest,
    failure: Option[Throwable]
)

/** Compares what the tests gave in a mode with the differences that are expected there. */
private[sparksuites] final class Verdict(
    mode: String,
    outcomes: Seq[Outcome],
    expected: Seq[ExpectedDifference]
) {
  private val failed = outcomes.filter(_.failure.nonEmpty).map(_.test).distinct
  private val run = outcomes.map(_.test).toSet
  private val listed = expected.filter(_.modes(mode))

  /** How many tests failed for each reason. */
  val differences: Map[String, Int] =
    listed.filter(e => failed.contains(e.test)).groupMapReduce(_.reason)(_ => 1)(_ + _)

  /** What is wrong, a sentence each; empty if all is as expected. */
  val problems: Seq[String] = {
    val tests = listed.map(_.test)
    val unexpected = failed.diff(tests).map(t => s"$mode: failed, and is not listed: $t")
    val stale = tests.filter(t => run(t) && !failed.contains(t)).map { t =>
      s"$mode: passed, and is listed as a difference: $t. Remove the entry."
    }
    val missing = tests.filterNot(run).map { t =>
      s"$mode: is listed as a difference, and did not run: $t"
    }
    val twice = tests.diff(tests.distinct).distinct.map(t => s"$mode: is listed twice: $t")
    unexpected ++ stale ++ missing ++ twice
  }

  def summary: String =
    f"$mode%-10s ${outcomes.map(_.test.suite).distinct.size}%3d suites  ${run.size}%4d tests  " +
      f"${run.size - failed.size}%4d passed  ${differences.values.sum}%3d expected differences  " +
      f"${problems.size}%3d problems"
}
