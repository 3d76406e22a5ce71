import sbt._
import sbt.Keys._
import sbt.Tests.{Group, SubProcess}

/** Divides the suites over JVMs that run beside each other: each has a Spark session of its own. */
object TestGroups {

  /** As many as fit beside each other on two cores. A third one only makes the others slower. */
  private val Count = 2

  /** How long the long suites took when `make suite-seconds` was last run. */
  private lazy val seconds: Map[String, Int] =
    IO.readLines(file("project/suite-seconds.tsv")).map(_.split('\t')).map(c => c(0) -> c(1).toInt).toMap

  private val Short = 5

  private def secondsOf(test: TestDefinition): Int = seconds.getOrElse(simpleName(test), Short / 2)

  private def simpleName(test: TestDefinition): String = test.name.split('.').last

  val suiteSeconds =
    taskKey[Unit]("Writes project/suite-seconds.tsv: how long each suite took in its last run.")

  /** From the reports of sbt. A suite that has not run keeps its seconds. */
  private val write = Def.task {
    val reports = target.value / "test-reports"
    def last(test: TestDefinition): Int = {
      val report = reports / s"TEST-${test.name}.xml"
      if (report.exists) (scala.xml.XML.loadFile(report) \@ "time").toDouble.round.toInt
      else secondsOf(test)
    }
    val long = (Test / definedTests).value.map(t => simpleName(t) -> last(t)).filter(_._2 >= Short)
    IO.writeLines(
      file("project/suite-seconds.tsv"),
      long.sortBy { case (name, seconds) => -seconds -> name }.map(s => s"${s._1}\t${s._2}")
    )
  }

  private def load(tests: Seq[TestDefinition]): Int =
    tests.map(secondsOf).sum

  /** The suites of one broker stay together, or there would be two; the longest goes first. */
  private def divided(tests: Seq[TestDefinition]): Seq[Seq[TestDefinition]] = {
    val (kafka, others) = tests.partition(_.name.contains(".kafka."))
    val units = kafka +: others.sortBy(t => -load(Seq(t)) -> t.name).map(Seq(_))
    units.foldLeft(Seq.fill(Count)(Seq.empty[TestDefinition])) { (groups, unit) =>
      val least = groups.minBy(load)
      val i = groups.indexWhere(_ eq least)
      groups.updated(i, least ++ unit)
    }
  }

  val settings: Seq[Setting[_]] = Seq(
    suiteSeconds := write.value,
    // The groups run beside each other, the suites of a group one after the other.
    Test / parallelExecution := true,
    Test / testForkedParallel := false,
    Test / testGrouping := {
      val options = (Test / forkOptions).value
      divided((Test / definedTests).value).zipWithIndex.map { case (tests, i) =>
        Group(s"${name.value}-$i", tests, SubProcess(options))
      }
    }
  )

  val limit: Setting[_] = Global / concurrentRestrictions := Seq(
    Tags.limit(Tags.ForkedTestGroup, Count),
    Tags.limitAll(Count + 1)
  )
}
