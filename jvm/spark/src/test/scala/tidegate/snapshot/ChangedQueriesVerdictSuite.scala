package tidegate
package snapshot

import java.nio.file.Files
import java.util.concurrent.ConcurrentLinkedQueue

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQueryListener
import org.apache.spark.sql.tidegate.TestQueries
import tidegate.clock.KnownQueries

/** What `checkCompatibility` says of operators that were changed. */
class ChangedQueriesVerdictSuite extends CompatibilityTest {

  override protected def atNight: Seq[String] = Seq(
    "a smaller session gap",
    "narrower bounds of a join",
    "another one of frames",
    "another key of frames",
    "a smaller sliding window"
  )
  import Verdict._

  private def sessions(gap: String)(in: DataFrame): DataFrame =
    keyed(in).groupBy(session_window(col("time"), gap), col("sub")).count()

  private def joined(upper: String, how: String = "leftOuter")(in: DataFrame): DataFrame = {
    val right =
      keyed(in, name = "deliveries", key = 1).select(col("n"), col("time").as("delivered"))
    keyed(in)
      .select(col("n"), col("time"))
      .streamJoin(right, Seq("n"), how, Between("delivered", "time", "0 seconds", upper))
  }

  private val partitions = "the number of shuffle partitions"

  cell(partitions, "nothing", hourly, hourly)(
    ("query", GoesOn, ""),
    ("orders", GoesOn, ""),
    ("aggregate", GoesOn, "")
  )

  cell(
    partitions,
    "another number of shuffle partitions",
    hourly,
    hourly,
    Map("spark.sql.shuffle.partitions" -> "7")
  )(("query", GoesOn, "The state has 1 partitions, and keeps them"))

  cell(
    "the size of tumbling windows without frames",
    "a larger window",
    hourly,
    in => windows("30 seconds")(keyed(in)),
    isOwn = false
  )(("aggregate", GoesOn, ""))

  private val size = "the size or the slide of windows from frames"

  cell(
    size,
    "a larger sliding window",
    sliding,
    in => windows("40 seconds", "5 seconds")(keyed(in))
  )(
    ("aggregate", WindowsAffected, "The windows of aggregate were changed from windows of 20000 ms")
  )

  cell(
    size,
    "a smaller sliding window",
    sliding,
    in => windows("10 seconds", "5 seconds")(keyed(in))
  )(("aggregate", GoesOn, "The windows of aggregate were changed from windows of 20000 ms"))

  cell(size, "another slide", sliding, in => windows("20 seconds", "4 seconds")(keyed(in)))(
    ("aggregate", WindowsAffected, "The windows of aggregate were changed")
  )

  cell(size, "a larger tumbling window", hourly, in => windows("30 seconds")(keyed(in)))(
    ("aggregate", WindowsAffected, "The windows of aggregate were changed from windows of 10000 ms")
  )

  private val otherWay =
    "a tumbling window in place of a sliding one from frames, or the other way round"

  cell(
    otherWay,
    "a tumbling window in place of a sliding one",
    sliding,
    hourly
  )(("aggregate", GoesOn, "The windows of aggregate were changed"))

  private val otherKeys = "[STATE_STORE_KEY_SCHEMA_NOT_COMPATIBLE]"
  private val refusedState = "[TIDEGATE_STATE_REFUSED]"

  cell(
    "a sliding window in place of a tumbling one without frames",
    "a sliding window in place of a tumbling one of Spark",
    hourly,
    sliding,
    isOwn = false
  )(("query", Refused, otherKeys), ("aggregate", Refused, otherKeys))

  cell(otherWay, "a sliding window in place of a tumbling one", hourly, sliding)(
    ("aggregate", WindowsAffected, "The windows of aggregate were changed")
  )

  cell("the gap of sessions", "a larger session gap", sessions("3 seconds"), sessions("8 seconds"))(
    ("aggregate", GoesOn, "")
  )

  cell(
    "the gap of sessions",
    "a smaller session gap",
    sessions("8 seconds"),
    sessions("3 seconds")
  )(("aggregate", GoesOn, ""))

  cell(
    "wider bounds of a join",
    "wider bounds of a join",
    joined("3 seconds"),
    joined("9 seconds")
  )(
    ("join.left", GoesOn, ""),
    ("join.right", GoesOn, "")
  )

  cell(
    "narrower bounds of a join",
    "narrower bounds of a join",
    joined("9 seconds"),
    joined("3 seconds")
  )(
    ("join.left", GoesOn, ""),
    ("join.right", GoesOn, "")
  )

  cell(
    "the type of a join: no side is outer that was not",
    "an inner join in place of an outer one",
    joined("3 seconds"),
    joined("3 seconds", "inner")
  )(("join.left", GoesOn, ""), ("join.right", GoesOn, ""))

  private val outer = "the type of a join: a side becomes outer"
  private val otherNulls = "[STATE_STORE_VALUE_SCHEMA_NOT_COMPATIBLE]"

  cell(outer, "an outer join of nulls, our own", joined("3 seconds", "inner"), joined("3 seconds"))(
    ("join.left", GoesOn, ""),
    ("join.right", GoesOn, "")
  )

  cell(
    outer,
    "an outer join of nulls",
    joined("3 seconds", "inner"),
    joined("3 seconds"),
    isOwn = false
  )(
    ("query", Refused, otherNulls),
    ("join.left", Refused, otherNulls),
    ("join.right", Refused, otherNulls)
  )

  private def joinedNotNull(how: String)(in: DataFrame): DataFrame =
    joined("3 seconds", how)(EventFiles.withoutNulls(in))

  cell(outer, "an outer join without nulls", joinedNotNull("inner"), joinedNotNull("leftOuter"))(
    ("join.left", GoesOn, ""),
    ("join.right", GoesOn, "")
  )

  private def aggregated(slide: String)(in: DataFrame): DataFrame =
    keyed(in).groupBy(window(col("time"), "20 seconds", slide), col("sub")).agg(avg("n"))

  private def byNumber(slide: String)(in: DataFrame): DataFrame =
    keyed(in).groupBy(window(col("time"), "20 seconds", slide), col("n")).count()

  private val tumbling = (in: DataFrame) => windows("20 seconds")(keyed(in))

  cell("the functions of an aggregation", "another aggregate", tumbling, aggregated("20 seconds"))(
    ("query", Refused, refusedState),
    ("aggregate", Refused, refusedState)
  )

  cell(
    "the functions of an aggregation",
    "another one of frames",
    sliding,
    aggregated("5 seconds")
  )(
    ("query", Refused, "["),
    ("aggregate", Refused, "[")
  )

  cell("the keys of an aggregation", "another key", tumbling, byNumber("20 seconds"))(
    ("query", Refused, refusedState),
    ("aggregate", Refused, refusedState)
  )

  cell("the keys of an aggregation", "another key of frames", sliding, byNumber("5 seconds"))(
    ("query", Refused, "["),
    ("aggregate", Refused, "[")
  )

  cell(
    "a setting such as `spark.tidegate.windows.enabled=false`",
    "no frames in new queries",
    sliding,
    sliding,
    Map("spark.tidegate.windows.enabled" -> "false")
  )(
    ("query", GoesOn, ""),
    ("aggregate", GoesOn, "")
  )

  checkTable("Changed queries")

  test("a check makes no table and no folder of late rows, and no listener hears of its query") {
    val folder = files(batches: _*)
    val run = new Run(hourly(stream(folder))).start().settle().stop()
    val heard = new ConcurrentLinkedQueue[StreamingQueryListener.Event]
    val listener = new StreamingQueryListener {
      override def onQueryStarted(e: StreamingQueryListener.QueryStartedEvent): Unit =
        heard.add(e): Unit
      override def onQueryProgress(e: StreamingQueryListener.QueryProgressEvent): Unit = ()
      override def onQueryTerminated(e: StreamingQueryListener.QueryTerminatedEvent): Unit =
        heard.add(e): Unit
    }
    val late = TempFolders.create("late").resolve("rows")
    def known = spark.sql("SELECT DISTINCT run_id FROM tidegate_watermarks()").collect().toSet
    val (before, shown) = (known, KnownQueries.everywhere.map(_.ids.runId).toSet)
    spark.streams.addListener(listener)
    try
      for (to <- Seq("late_rows_of_a_check", late.toString)) {
        val changed = stream(folder)
          .withKeyedWatermark(
            "time",
            "9 seconds",
            substream = Seq("sub"),
            name = "orders",
            lateRows = to
          )
          .groupBy(window(col("time"), "10 seconds"), col("sub"))
          .count()
        assert(checkCompatibility(run.checkpoint.toString, changed).isCompatible)
      }
    finally {
      TestQueries.drainListeners(spark)
      spark.streams.removeListener(listener)
    }
    assert(heard.size === 0)
    assert(!spark.catalog.tableExists("late_rows_of_a_check"))
    assert(!Files.exists(late))
    assert(known === before)
    assert(KnownQueries.everywhere.map(_.ids.runId).toSet === shown)
  }

  test("of several operators, the one with the other state is refused") {
    val folder = EventFiles.of(batches: _*)
    def frame(keys: String*) = windows("10 seconds")(
      keyed(stream(folder)).dropDuplicates("time" +: keys)
    )
    val run = new Run(frame("n")).start().settle().stop()
    val found = checkCompatibility(run.checkpoint.toString, frame("sub", "n"))
    assert(
      found.stages.map(s => s.stage -> s.verdict) ===
        Seq("query" -> Refused, "deduplicate" -> Refused)
    )
    val windowed = windows("10 seconds")(keyed(stream(folder)).dropDuplicates("time", "n"))
    assert(checkCompatibility(run.checkpoint.toString, windowed).isCompatible)
  }

  test("a plan that no query can have is refused as a whole") {
    val folder = EventFiles.of(batches: _*)
    val run = new Run(hourly(stream(folder))).start().settle().stop()
    val found =
      checkCompatibility(run.checkpoint.toString, keyed(stream(folder)).groupBy("sub").count())
    assert(found.stages.map(s => s.stage -> s.verdict) === Seq("query" -> Refused))
  }

  test("a checkpoint of Spark is refused, and goes on where it may be adopted") {
    val folder = EventFiles.of(batches: _*)
    val of = stream(folder).withWatermark("time", "5 seconds")
    val run = new Run(windows("10 seconds")(of)).start().settle().stop()
    def found = checkCompatibility(run.checkpoint.toString, hourly(stream(folder)))
    assert(
      found.stages === Seq(
        StageVerdict(
          "query",
          "query",
          Refused,
          s"[TIDEGATE_CHECKPOINT_OF_SPARK] The checkpoint ${run.checkpoint} was made without " +
            "Tidegate, and the query has keyed watermarks. Let the query adopt the checkpoint " +
            "with tidegate.adopt or spark.tidegate.adoptCheckpoint=true, or start it with a new " +
            "checkpoint. SQLSTATE: 55000"
        )
      )
    )
    withConf("spark.tidegate.adoptCheckpoint" -> "true") {
      assert(
        found.stages === Seq(
          StageVerdict("query", "query", GoesOn),
          StageVerdict("orders", "watermark", GoesOn),
          StageVerdict("aggregate", "operator", GoesOn)
        )
      )
    }
    assert(!Files.exists(run.checkpoint.resolve("offsets.spark")))
  }
}
