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
    "FrameRestartSuite" -> 145,
    "SessionSuite" -> 144,
    "ReplaceWatermarksSuite" -> 95,
    "KillPointsSuite" -> 130,
    "QuietBatchesSuite" -> 125,
    "NullsOfEarlierBatchesSuite" -> 50,
    "JoinSpellingsSuite" -> 91,
    "JoinSpellingsOfSparkSuite" -> 89,
    "ChainOfSparkSuite" -> 84,
    "ReplaySuite" -> 80,
    "DeduplicateByTimeSuite" -> 75,
    "JoinProperties" -> 74,
    "ChainSuite" -> 73,
    "JoinOfSparkSuite" -> 72,
    "JoinSuite" -> 72,
    "GoldenCheckpointSuite" -> 56,
    "AdoptedCheckpointSuite" -> 53,
    "LargeResultsSuite" -> 53,
    "SqlFrameSuite" -> 51,
    "FailedFirstBatchSuite" -> 100,
    "NullKeysSuite" -> 48,
    "TumblingFramesSuite" -> 48,
    "LateFolderSuite" -> 46,
    "AccountedRowsSuite" -> 43,
    "SparkCorpusSuite" -> 41,
    "ReadableTextSuite" -> 38,
    "ReplacedKafkaSuite" -> 38,
    "OrderSuite" -> 37,
    "FramesOnMapSuite" -> 36,
    "BeforeTheEpochSuite" -> 35,
    "SqlStreamSuite" -> 35,
    "FrameScenarioSuite" -> 33,
    "RestartSuite" -> 31,
    "IntervalJoinModelSuite" -> 30,
    "FrameProperties" -> 28,
    "OrderChainSuite" -> 27,
    "HeldStateSuite" -> 25,
    "HostileInputSuite" -> 25,
    "KafkaKillSuite" -> 25,
    "SessionProperties" -> 24,
    "HostileRowsSuite" -> 23,
    "ManyFramesSuite" -> 23,
    "NamedOperatorsSuite" -> 23,
    "WaitingKeysSuite" -> 23,
    "FlushOfSparkSuite" -> 22,
    "FlushSuite" -> 22,
    "SessionsOnMapSuite" -> 22,
    "PersistedBatchSuite" -> 21,
    "SlidingWindowScenarioSuite" -> 21,
    "SharedVersionsSuite" -> 20,
    "GroupingSetsSuite" -> 18,
    "JoinScenarioSuite" -> 18,
    "PagedRowsSuite" -> 18,
    "FrameRefusalSuite" -> 16,
    "ProgressSuite" -> 16,
    "KafkaSuite" -> 15,
    "LateTableOfSparkSuite" -> 15,
    "LateTableSuite" -> 15,
    "EarlierRowsSuite" -> 13,
    "FrameStateSuite" -> 12,
    "KafkaOutageSuite" -> 12,
    "ReadUpSuite" -> 11,
    "ChangedOperatorsSuite" -> 8,
    "ChangedStagesSuite" -> 8,
    "DroppedRowsSuite" -> 8,
    "OrderProperties" -> 8,
    "WatermarkFunctionsSuite" -> 8
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
