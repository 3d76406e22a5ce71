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

  def main(args: Array[String]): Unit = {
    def wanted(option: String)(text: String): Boolean = {
      val words = args.filter(_.startsWith(s"$option=")).map(_.drop(option.length + 1))
      words.isEmpty || words.exists(w => if (option == "mode") text == w else text.contains(w))
    }
    val listed = ListedSuite.parse(lines("suites.txt"))
    val suites = listed.filter(s => wanted("suite")(s.className))
    val modes = Mode.all.filter(m => wanted("mode")(m.name))
    if (args.exists(!_.matches("(mode|suite|test)=.+")) || suites.isEmpty || modes.isEmpty) {
      refuse(
        s"Found the arguments '${args.mkString(" ")}'. Give mode=NAME with one of " +
          s"${Mode.list}, suite=WORD with a part of a name in " +
          s"${folder.resolve("suites.txt")}, test=WORD with a part of a title, or nothing for all."
      )
    }
    // An entry whose suite is not listed at all never runs: that shows in every run.
    val expected = ExpectedDifferences.parse(lines("expected-differences.md")).filter { e =>
      def named(suites: Seq[ListedSuite]) = suites.exists(_.name == e.test.suite)
      named(suites) && wanted("test")(e.test.title) || !named(listed)
    }
    val verdicts = modes.map { m =>
      val differing = expected.filter(_.modes(m.name)).map(_.test).toSet
      new Verdict(m.name, run(m, suites, wanted("test"), differing), expected)
    }
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

  private def lines(file: String): Seq[String] =
    Files.readAllLines(folder.resolve(file)).asScala.toSeq

  private def run(
      mode: Mode,
      suites: Seq[ListedSuite],
      title: String => Boolean,
      differing: Set[SuiteTest]
  ): Seq[Outcome] = {
    mode.settings.foreach { case (name, value) => System.setProperty(name, value) }
    try {
      val first = outcomes(mode, "ModeSuite", _ => true, Set.empty)(new ModeSuite(mode))
      first ++ suites.filter(_.modes(mode.name)).flatMap { s =>
        outcomes(mode, s.name, title, differing)(newSuite(s.className))
      }
    } finally mode.settings.keys.foreach(System.clearProperty)
  }

  private def newSuite(name: String): Suite =
    Class.forName(name).getConstructor().newInstance().asInstanceOf[Suite]

  private def outcomes(
      mode: Mode,
      name: String,
      title: String => Boolean,
      differing: Set[SuiteTest]
  )(create: => Suite): Seq[Outcome] = {
    lazy val suite = create
    lazy val patience = new Patience(suite)
    def starting(test: String): Unit = patience.begin(differing(SuiteTest(name, test)))
    val recorder = new Recorder(mode, name, title, starting)
    try {
      val _ = suite.run(None, Args(recorder)).succeeds()
    } catch { case e @ (NonFatal(_) | _: LinkageError) => recorder.aborted(e) }
    recorder.recorded
  }
}
