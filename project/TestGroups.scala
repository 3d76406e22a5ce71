import sbt._
import sbt.Keys._
import sbt.Tests.{Group, SubProcess}

/** Divides the suites over JVMs that run beside each other: each has a Spark session of its own. */
object TestGroups {

  /** As many as fit beside each other on two cores. */
  private val Count = 2

  /** About how long the long suites take, in seconds; all others are short. */
  private val seconds: Map[String, Int] = Map(
    "CrashMatrixSuite" -> 300,
    "KillPointsSuite" -> 130,
    "ReplaySuite" -> 80,
    "GoldenCheckpointSuite" -> 60,
    "ChainSuite" -> 90,
    "JoinSuite" -> 90,
    "RestartSuite" -> 80,
    "FrameScenarioSuite" -> 90,
    "OrderChainSuite" -> 60,
    "FrameRefusalSuite" -> 60,
    "ClockSuite" -> 40,
    "SqlStreamSuite" -> 60,
    "FrameRestartSuite" -> 60,
    "SqlFrameSuite" -> 60,
    "JoinProperties" -> 60,
    "FrameProperties" -> 50,
    "OrderProperties" -> 50,
    "OrderSuite" -> 50,
    "KafkaKillSuite" -> 60,
    "KafkaSuite" -> 40,
    "WatermarkFunctionsSuite" -> 40,
    "KafkaOutageSuite" -> 30,
    "KafkaPayloadSuite" -> 20,
    "KafkaIngestionSuite" -> 20
  ).withDefaultValue(5)

  private def load(tests: Seq[TestDefinition]): Int =
    tests.map(t => seconds(t.name.split('.').last)).sum

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
