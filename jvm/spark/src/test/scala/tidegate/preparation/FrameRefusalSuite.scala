package tidegate
package preparation

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{OutputMode, StreamingQueryException}
import org.apache.spark.sql.tidegate.SparkInternals
import org.apache.spark.sql.{AnalysisException, DataFrame}
import tidegate.SparkClasses.MemoryStream
import tidegate.own.windows.{FrameRestartTest, FrameTest, Hop}

/** Queries that cannot go on with the frames of a checkpoint: nothing is lost when they try. */
class FrameRefusalSuite extends FrameRestartTest {

  override protected def atNight: Seq[String] = Seq(
    "one function more",
    "a buffer of another type"
  )

  private type Query = DataFrame => DataFrame

  private val end =
    "Start the query as it was, or with a new checkpoint; nothing in this one was changed. " +
      "SQLSTATE: 42K03"

  private val ofTwelve = "for windows of 12000 ms by 2000 ms"

  private def keyed(rows: DataFrame): DataFrame =
    rows.withKeyedWatermark("time", "0 seconds", substream = Seq("sub"))

  private val key = (col("n") % 10).as("key")
  private val twelve = Hop(12, 2)

  private val sums: Query = inWindows(_, twelve)

  private val first = rows(Seq(1, 2), 100 to 129)
  private val second = rows(Seq(1), 125 to 139)
  private val last = Seq(row(1, 1000))

  private def send(run: Run, in: MemoryStream[Event], rows: Seq[Event]): Seq[String] = {
    in.addData(rows)
    run.settle().take()
  }

  private lazy val undisturbed: Map[Query, Seq[Seq[String]]] =
    Map.empty[Query, Seq[Seq[String]]].withDefault { query =>
      val in = events()
      val run = new Run(query(in.toDF())).start()
      val out = Seq(first, second, last).map(send(run, in, _))
      run.stop()
      out
    }

  /**
   * Starts a query, then another one on its checkpoint, which `isRefused`, and the first one again.
   */
  private def refused(query: Query, other: Query, mode: OutputMode = OutputMode.Append())(
      isRefused: Run => Unit
  ): Unit = {
    val in = events()
    val run = new Run(query(in.toDF())).start()
    val before = send(run, in, first)
    run.stop()
    // New rows are there when the other one starts.
    in.addData(second)
    val wrong = new Run(other(in.toDF()), run.checkpoint, mode)
    isRefused(wrong)
    assert(wrong.batchCount === 0)
    run.start()
    val after = run.settle().take()
    assertFrames(run.query)
    assert(Seq(before, after, send(run, in, last)) === undisturbed(query))
    run.stop()
    ()
  }

  private def sentence(error: AnalysisException): String = error.getMessage.split(";\n").head

  /** The error at the start. */
  private def atStart(expected: String)(run: Run): Unit = {
    val error = intercept[AnalysisException](run.start())
    assert(sentence(error) === expected)
    assert(error.getCondition === "TIDEGATE_STATE_REFUSED")
    ()
  }

  /** The error in the first batch. */
  private def inBatch(run: Run): Throwable = {
    run.start()
    val error = intercept[StreamingQueryException](run.settle())
    run.stop()
    error.getCause
  }

  onBothStores("session windows") {
    refused(
      sums,
      keyed(_).groupBy(key, session_window(col("time"), "5 seconds")).agg(count("*"), sum("n"))
    )(
      atStart(
        s"[TIDEGATE_STATE_REFUSED] The checkpoint has the state of `aggregate`: the frames $ofTwelve. But " +
          s"the query has no windows of a fixed size there. $end"
      )
    )
  }

  test("a size that is not a multiple of the slide") {
    refused(sums, inWindows(_, Hop(12, 5)))(
      atStart(
        s"[TIDEGATE_STATE_REFUSED] The checkpoint has the state of `aggregate`: the frames $ofTwelve. But " +
          "the query cannot use them: the size of the windows, 12000 ms, is not a multiple of " +
          s"their slide, 5000 ms. $end"
      )
    )
  }

  onBothStores("another output mode") {
    refused(sums, sums, OutputMode.Update())(
      atStart(
        s"[TIDEGATE_STATE_REFUSED] The checkpoint has the state of `aggregate`: the frames $ofTwelve. But " +
          "the query cannot use them: the output mode is update, and only append waits for " +
          s"windows. $end"
      )
    )
  }

  private def aggregated(function: org.apache.spark.sql.Column): Query =
    keyed(_).groupBy(key, twelve.column).agg(function)

  onBothStores("another function with the same buffer") {
    val long = col("n").cast("long")
    refused(aggregated(sum(long)), aggregated(max(long))) { run =>
      val error = inBatch(run).asInstanceOf[AnalysisException]
      assert(
        sentence(error) ===
          "[TIDEGATE_STATE_REFUSED] The checkpoint has the state of `aggregate`: frames " +
          s"with the buffers sum. But those of the query are max. $end"
      )
    }
  }

  onBothStores("one function more") {
    refused(aggregated(sum("n")), inWindows(_, twelve)) { run =>
      val error = inBatch(run).asInstanceOf[AnalysisException]
      assert(
        sentence(error) ===
          "[TIDEGATE_STATE_REFUSED] The checkpoint has the state of `aggregate`: frames " +
          s"with the buffers sum. But those of the query are count, sum. $end"
      )
    }
  }

  onBothStores("another argument of the same function goes on") {
    val in = events()
    var argument = col("n")
    val run = new Run(aggregated(sum(argument))(in.toDF())).start()
    send(run, in, Seq(row(1, 100), row(1, 101)))
    run.stop()
    argument = col("n") * 2
    run.start()
    send(run, in, Seq(row(1, 100), row(1, 101)))
    assert(send(run, in, Seq(row(1, 200))).contains(s"1|[96,108)|${3 * (1001 + 1011)}"))
  }

  onBothStores("a key of another type") {
    refused(
      sums,
      keyed(_)
        .groupBy((col("n") % 10).cast("string").as("key"), twelve.column)
        .agg(count("*"), sum("n"))
    ) { run =>
      val error = inBatch(run)
      assert(
        error.getMessage.contains(
          "The checkpoint has the state of `aggregate`: rows with key INT. But those of the query " +
            "have key STRING in its place."
        )
      )
    }
  }

  onBothStores("a buffer of another type") {
    refused(aggregated(sum("n")), aggregated(sum(col("n").cast("double")))) { run =>
      val error = inBatch(run)
      assert(
        error.getMessage.contains(
          "The checkpoint has the state of `aggregate`: rows with sum(n) BIGINT. But those of the " +
            "query have sum(CAST(n AS DOUBLE)) DOUBLE in its place. Start the query as it was, or " +
            "with a new checkpoint; nothing in this one was changed. SQLSTATE: 42K03"
        )
      )
    }
  }

  private def reasons(run: Run): Seq[String] = {
    val plan = SparkInternals.execution(run.query).get.lastExecution.executedPlan
    FrameTest.collect(plan) {
      case node if node.nodeName == "KeptBySpark" => node.simpleString(100)
    }
  }

  onBothStores("a checkpoint that was made without frames goes on without them") {
    val in = events()
    val run = new Run(sums(in.toDF()))
    withFrames(enabled = false)(run.start())
    val before = withFrames(enabled = false)(send(run, in, first))
    assert(reasons(run) === Seq("KeptBySpark: spark.tidegate.windows.enabled is false"))
    run.stop()
    run.start()
    val after = Seq(second, last).map(send(run, in, _))
    assert(reasons(run) === Seq("KeptBySpark: the checkpoint was made with Spark's windows"))
    assert(before +: after === undisturbed(sums))
  }

  test("a checkpoint without a batch takes frames, whatever it was made for") {
    val in = events()
    val run = new Run(sums(in.toDF()))
    withFrames(enabled = false) {
      run.start()
      run.stop()
    }
    run.start()
    assert(Seq(first, second, last).map(send(run, in, _)) === undisturbed(sums))
    assertFrames(run.query)
  }
}
