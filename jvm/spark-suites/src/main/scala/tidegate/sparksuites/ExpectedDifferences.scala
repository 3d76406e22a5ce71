package tidegate.sparksuites

/** A test that is known to fail in these modes, and the heading of its reason. */
private[sparksuites] final case class ExpectedDifference(
    modes: Set[String],
    test: SuiteTest,
    reason: String
)

/**
 * Reads the list of expected differences, a Markdown file: each second heading is a reason, and a
 * line below it such as `- own, slowest | StreamSuite | a title` is a test.
 */
private[sparksuites] object ExpectedDifferences {

  def parse(lines: Seq[String]): Seq[ExpectedDifference] = {
    val reasons = lines.scanLeft("") { (reason, line) =>
      if (line.startsWith("## ")) line.drop(3).trim else reason
    }
    for {
      ((line, reason), i) <- lines.zip(reasons).zipWithIndex
      if line.startsWith("- ")
    } yield entry(line.drop(2), reason).getOrElse(
      throw new IllegalArgumentException(
        s"Line ${i + 1} of the expected differences is '$line'. It has to stand below a heading " +
          s"'## reason' and to be '- modes | suite | title', with modes of ${Mode.list}."
      )
    )
  }

  private def entry(text: String, reason: String): Option[ExpectedDifference] =
    text.split(" \\| ", 3).map(_.trim) match {
      case Array(modes, suite, title) if reason.nonEmpty =>
        Mode.parse(modes).map(ExpectedDifference(_, SuiteTest(suite, title), reason))
      case _ => None
    }
}
