package tidegate.sparksuites

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.scalatest.{Args, Suite}

/**
 * Runs Spark's own suites with Tidegate in the session, and compares what fails with the list of
 * expected differences.
 *
 * Arguments: `mode=NAME` for one mode, `suite=WORD` for the suites whose name contains the word,
 * `test=WORD` for tests whose title does. Without arguments all suites run in all modes.
 */
object SparkSuites {
  private val folder: Path = Paths.get(sys.props("tidegate.spark-suites"))
  private val Prefix = "org.apache.spark.sql."

  def main(args: Array[String]): Unit = {
    def wanted(option: String)(text: String): Boolean = {
      val words = args.filter(_.startsWith(s"$option=")).map(_.drop(option.length + 1))
      words.isEmpty || words.exists(w => if (option == "mode") text == w else text.contains(w))
    }
    val suites = names.filter(wanted("suite"))
    val modes = Mode.all.filter(m => wanted("mode")(m.name))
    if (args.exists(!_.matches("(mode|suite|test)=.+")) || suites.isEmpty || modes.isEmpty) {
      refuse(
        s"Found the arguments '${args.mkString(" ")}'. Give mode=NAME with one of " +
          s"${Mode.all.map(_.name).mkString(", ")}, suite=WORD with a part of a name in " +
          s"${folder.resolve("suites.txt")}, test=WORD with a part of a title, or nothing for all."
      )
    }
    val expected = ExpectedDifferences.read(folder.resolve("expected-differences.md")).filter { e =>
      suites.exists(simple(_) == e.test.suite) && wanted("test")(e.test.title) ||
      !names.exists(simple(_) == e.test.suite)
    }
    val verdicts = modes.map(m => new Verdict(m.name, run(m, suites, wanted("test")), expected))
    println()
    verdicts.foreach { v =>
      println(v.summary)
      v.differences.toSeq.sorted.foreach { case (reason, n) => println(f"${n}%15d  $reason") }
    }
    val problems = verdicts.flatMap(_.problems)
    problems.foreach(p => println(s"PROBLEM  $p"))
    // Suites leave threads behind that would keep the process alive.
    sys.exit(if (problems.isEmpty) 0 else 1)
  }

  private def refuse(why: String): Unit = {
    System.err.println(why)
    sys.exit(2)
  }

  private def names: Seq[String] =
    Files.readAllLines(folder.resolve("suites.txt")).asScala.toSeq.map(_.trim).filterNot { line =>
      line.isEmpty || line.startsWith("#")
    }

  private def simple(suite: String): String = suite.split('.').last

  private def run(mode: Mode, suites: Seq[String], title: String => Boolean): Seq[Outcome] = {
    mode.settings.foreach { case (name, value) => System.setProperty(name, value) }
    try {
      val first = outcomes(mode, "ModeSuite", _ => true)(new ModeSuite(mode))
      first ++ suites.flatMap(s => outcomes(mode, simple(s), title)(newSuite(Prefix + s)))
    } finally mode.settings.keys.foreach(System.clearProperty)
  }

  private def newSuite(name: String): Suite =
    Class.forName(name).getConstructor().newInstance().asInstanceOf[Suite]

  private def outcomes(mode: Mode, name: String, title: String => Boolean)(
      suite: => Suite
  ): Seq[Outcome] = {
    val recorder = new Recorder(mode, name, title)
    try {
      val _ = suite.run(None, Args(recorder)).succeeds()
    } catch { case e @ (NonFatal(_) | _: LinkageError) => recorder.aborted(e) }
    recorder.recorded
  }
}
