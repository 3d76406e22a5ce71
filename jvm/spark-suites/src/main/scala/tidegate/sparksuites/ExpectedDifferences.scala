package tidegate.sparksuites

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

/**
 * Reads the list of expected differences, a Markdown file: each second heading is a reason, and a
 * line below it such as `- own, slowest | StreamSuite | a title` is a test.
 */
private[sparksuites] object ExpectedDifferences {

  def read(file: Path): Seq[ExpectedDifference] = parse(Files.readAllLines(file).asScala.toSeq)

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
          s"'## reason' and to be '- modes | suite | title', with modes of $modes."
      )
    )
  }

  private val modes = Mode.all.map(_.name).mkString(", ")

  private def entry(text: String, reason: String): Option[ExpectedDifference] =
    text.split(" \\| ", 3).map(_.trim) match {
      case Array(names, suite, title) =>
        val of = names.split(",").map(_.trim).toSet
        Option.when(reason.nonEmpty && of.subsetOf(Mode.all.map(_.name).toSet))(
          ExpectedDifference(of, SuiteTest(suite, title), reason)
        )
      case _ => None
    }
}
