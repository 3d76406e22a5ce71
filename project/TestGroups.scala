import sbt._
import sbt.Keys._
import sbt.Tests.{Group, SubProcess}

/** Divides the suites over JVMs that run beside each other: each has a Spark session of its own. */
object TestGroups {

  /** As many as fit beside each other on two cores. A third one only makes the others slower. */
  private val Count = 2

  /** About how long the long suites take, in seconds; all others are short. */
  private val seconds: Map[String, Int] = Map(
    "CrashMatrixSuite" -> 300,
    "KillPointsSuite" -> 130,
    "ChainSuite" -> 98,
    "FrameRestartSuite" -> 81,
    "ReplaySuite" -> 80,
    "GoldenCheckpointSuite" -> 60,
    "FrameRefusalSuite" -> 60,
    "JoinSuite" -> 56,
    "SqlStreamSuite" -> 51,
    "RestartSuite" -> 51,
    "ReplaceWatermarksSuite" -> 47,
    "BeforeTheEpochSuite" -> 46,
    "FrameScenarioSuite" -> 45,
    "FlushSuite" -> 44,
    "OrderChainSuite" -> 44,
    "AccountedRowsSuite" -> 43,
    "JoinSpellingsSuite" -> 40,
    "JoinScenarioSuite" -> 37,
    "NullKeysSuite" -> 36,
    "OrderSuite" -> 36,
    "SqlFrameSuite" -> 34,
    "FrameProperties" -> 29,
    "AdoptedCheckpointSuite" -> 28,
    "WatermarkFunctionsSuite" -> 26,
    "KafkaKillSuite" -> 25,
    "HostileInputSuite" -> 25,
    "ProgressSuite" -> 25,
    "NamedOperatorsSuite" -> 25,
    "SparkCorpusSuite" -> 24,
    "HostileRowsSuite" -> 23,
    "ReplacedKafkaSuite" -> 23,
    "SlidingWindowScenarioSuite" -> 22,
    "PersistedBatchSuite" -> 20,
    "GroupingSetsSuite" -> 18,
    "KafkaOutageSuite" -> 16,
    "KafkaSuite" -> 16,
    "UnionSuite" -> 16,
    "JoinProperties" -> 15,
    "FrameStateSuite" -> 15,
    "ReadUpSuite" -> 12,
    "KafkaIngestionSuite" -> 11,
    "ChangedStagesSuite" -> 10,
    "ManyFramesSuite" -> 10
  ).withDefaultValue(4)

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
