package tidegate
package clock

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.OutputMode
import tidegate.own.{HarnessTest, OperatorHarness}

/**
 * A checkpoint whose query comes back with other watermarks, or with other operators with state:
 * the cells of the tables in `docs/checkpoints.md`.
 */
class ChangedStagesSuite extends HarnessTest {
  private type Stage = DataFrame => DataFrame

  private val time: Stage = _.withKeyedWatermark("time", "0 seconds", name = "first")
  private val renamed: Stage = _.withKeyedWatermark("time", "0 seconds", name = "other")
  private val second: Stage =
    _.withKeyedWatermark("time2", "0 seconds", key = 1, name = "second")
  private val distinct: Stage = _.dropDuplicates("time", "n")
  private val windows: Stage =
    _.groupBy(window(col("time"), "10 seconds")).agg(count("*").as("c"))
  private val wide: Stage =
    _.groupBy(window(window_time(col("window")), "20 seconds")).agg(sum("c").as("c"))
  private val inOrder: Stage = _.orderByEventTime(eventTime = "time").toDF()
  private val filter: Stage = _.where("n < 100")

  private def query(in: DataFrame, stages: Seq[Stage]): DataFrame =
    stages.foldLeft(in.withColumn("time2", col("time")))((df, stage) => stage(df))

  private val sent =
    Seq(Seq(event("a", 5)), Seq(event("a", 15)), Seq(event("a", 25), event("a", 25, 2)))
  private val sentLater = Seq(Seq(event("a", 26)), Seq(event("a", 55)))

  /** Runs the first query over three batches, and lets the second one go on with two more. */
  private def change(before: Seq[Stage], after: Seq[Stage]): OperatorHarness = {
    val in = feed(sent: _*)
    var stages = before
    val run = harness(query(in.toDF(), stages)).start().settle()
    run.clear()
    sentLater.foreach(in.addData(_))
    stages = after
    run.start().settle()
  }

  /** The same in a stream. */
  private def streamed(before: Seq[Stage], after: Seq[Stage], mode: OutputMode): Run = {
    val in = files(sent: _*)
    val checkpoint = newCheckpoint()
    new Run(query(stream(in), before), checkpoint, mode).start().settle().stop()
    sentLater.zipWithIndex.foreach { case (rows, i) => addFile(in, sent.size + i, rows) }
    new Run(query(stream(in), after), checkpoint, mode).start().settle()
  }

  private def goesOn(title: String)(before: Stage*)(after: Stage*)(watermarks: String*): Unit =
    test(s"$title: the query goes on") {
      val run = change(before, after)
      assert(run.answer === Seq("[20,30)|3"))
      assert(run.lateRows === Map.empty)
      assert(run.watermarks === watermarks.map(_ -> Some(55000L)).toMap)
    }

  test("a watermark and a stage without state are added in a stream: the query goes on") {
    val run =
      streamed(Seq(time, windows), Seq(time, second, filter, windows), OutputMode.Append())
    assert(run.answer === Seq("[20,30)|3"))
    assert(run.lateRows === Map.empty)
    val times = run.running.figures.watermarks.transform((_, node) => node.watermarkMs)
    assert(times === Map("first" -> Some(55000L), "second" -> Some(55000L)))
  }

  goesOn("a watermark is added")(time, windows)(time, second, windows)("first", "second")
  goesOn("a watermark is removed")(time, second, windows)(time, windows)("first")
  goesOn("a watermark has another name")(time, windows)(renamed, windows)("other")
  goesOn("watermarks change their order")(time, second, windows)(second, time, windows)(
    "first",
    "second"
  )
  goesOn("a stage without state is added")(time, windows)(time, filter, windows)("first")
  goesOn("a stage without state is removed")(time, filter, windows)(time, windows)("first")

  private val NotThere = "STREAMING_STATEFUL_OPERATOR_NOT_MATCH_IN_STATE_METADATA"

  private def refused(title: String, by: String = NotThere)(before: Stage*)(after: Stage*): Unit =
    test(s"$title: the query is refused") {
      val error = intercept[Exception](change(before, after))
      assert(error.getMessage.contains(by))
    }

  /** What the checkpoint of a stream says. */
  private def refusedInStream(title: String, by: String, mode: OutputMode)(before: Stage*)(
      after: Stage*
  ): Unit =
    test(s"$title: the query is refused") {
      val error = intercept[Exception](streamed(before, after, mode))
      assert(error.getMessage.contains(by))
    }

  refused("a stage with state is added at the front")(time, windows)(time, distinct, windows)
  refused("a stage with state is added at the end")(time, windows)(time, windows, wide)
  refused("a stage with state is removed from the front", "TIDEGATE_STATE_REFUSED")(
    time,
    distinct,
    windows
  )(time, windows)
  refused("a stage with state is removed from the end", "TIDEGATE_STATE_REFUSED")(
    time,
    windows,
    wide
  )(time, windows)
  refused("stages with state change their order", "TIDEGATE_STATE_REFUSED")(
    time,
    distinct,
    inOrder
  )(
    time,
    inOrder,
    distinct
  )
  refused("event-time order is added")(time, windows)(time, inOrder, windows)
  refused("event-time order is removed", "TIDEGATE_STATE_REFUSED")(time, inOrder, windows)(
    time,
    windows
  )

  refusedInStream(
    "a stage with state is added in a stream",
    NotThere,
    OutputMode.Append()
  )(time, windows)(time, distinct, windows)

  refusedInStream(
    "a stage with state is removed in a stream",
    "TIDEGATE_STATE_REFUSED",
    OutputMode.Append()
  )(time, distinct, windows)(time, windows)

  refusedInStream(
    "the first watermark is added",
    "TIDEGATE_CHECKPOINT_OF_SPARK",
    OutputMode.Update()
  )(windows)(time, windows)
  refusedInStream(
    "the last watermark is removed",
    "TIDEGATE_CHECKPOINT_OF_KEYED",
    OutputMode.Update()
  )(time, windows)(windows)
}
