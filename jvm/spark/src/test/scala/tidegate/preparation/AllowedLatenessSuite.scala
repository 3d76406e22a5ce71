package tidegate
package preparation

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.{AnalysisException, DataFrame}

/** Aggregations by windows that take late rows for longer, and put out their windows again. */
class AllowedLatenessSuite extends RestartTest {

  private def counts(rows: DataFrame, lateness: String = "60 seconds"): DataFrame = rows
    .withKeyedWatermark(
      "time",
      "2 seconds",
      substream = Seq("sub"),
      name = "orders",
      emission = byMinStep("1 millisecond"),
      allowedLateness = lateness
    )
    .groupBy(window(col("time"), "10 seconds"))
    .count()

  private def update(rows: => DataFrame): Run = new Run(rows, mode = OutputMode.Update())

  test("a late row puts out its window again; beyond the lateness it is dropped and counted") {
    val in = events()
    val run = update(counts(in.toDF())).start()
    def send(rows: Event*): Seq[String] = {
      in.addData(rows)
      run.settle()
      run.take()
    }
    assert(send(event("a", 5), event("a", 6)) === Seq("[0,10)|2"))
    assert(send(event("a", 50)) === Seq("[50,60)|1"))
    // The watermark is at 48 seconds, and windows are open from -12 on.
    assert(run.watermark("orders") === Some(48000L))
    assert(send(event("a", 7)) === Seq("[0,10)|3"))
    assert(run.lateRows === Map.empty)
    assert(
      watermarks(run.query).operators("aggregate").watermark.map(_.getEpochSecond) === Some(-12L)
    )
    // 70 seconds close the window that ends at 10, exactly.
    assert(send(event("a", 72)) === Seq("[70,80)|1"))
    assert(send(event("a", 8), event("a", 11)) === Seq("[10,20)|1"))
    assert(run.lateRows === Map("aggregate" -> 1L))
    assert(run.stateRows === 3)
  }

  test("the last update of each window is Spark's batch result, over kills") {
    val rows = Seq(
      Seq(event("a", 5), event("b", 8)),
      Seq(event("a", 40), event("b", 41)),
      Seq(event("a", 9), event("b", 12), event("b", 45)),
      Seq(event("a", 60), event("b", 66), event("a", 33)),
      Seq(event("b", 15), event("a", 61))
    )
    val folder = files(rows: _*)
    val run = checkKills(counts(stream(folder)), OutputMode.Update())
    val last = run.byBatch.toSeq.sortBy(_._1).flatMap(_._2).map(_.split('|')).map {
      case Array(window, count) => window -> count
      case other                => throw new IllegalStateException(other.mkString("|"))
    }
    val batch = counts(table(folder)).collect().map(KeyedStreamTest.text).toSet
    assert(last.toMap.map { case (window, count) => s"$window|$count" }.toSet === batch)
    assert(run.lateRows === Map.empty)
  }

  test("more lateness after a restart: a window that is gone does not come back") {
    val in = events()
    var lateness = "10 seconds"
    val run = update(counts(in.toDF(), lateness)).start()
    in.addData(event("a", 5))
    run.settle()
    in.addData(event("a", 100))
    run.settle().stop()
    run.clear()
    lateness = "1 hour"
    run.start()
    in.addData(event("a", 6), event("a", 95))
    run.settle()
    assert(run.take() === Seq("[90,100)|1"))
    assert(run.lateRows === Map("aggregate" -> 1L))
    // Less lateness lets windows leave.
    run.stop()
    lateness = "0 seconds"
    run.start()
    in.addData(event("a", 200))
    run.settle()
    assert(run.stateRows === 1)
  }

  test("late rows beyond the lateness go to the folder of late rows") {
    val folder = TempFolders.create("late").toString
    val in = events()
    val frame = in
      .toDF()
      .withKeyedWatermark("time", "0 seconds", lateRows = folder, allowedLateness = "10 seconds")
      .groupBy(window(col("time"), "10 seconds"))
      .count()
    val run = update(frame).start()
    in.addData(event("a", 50))
    run.settle()
    in.addData(event("a", 41, 2), event("a", 5, 3))
    run.settle().stop()
    val found = spark.read.parquet(folder).select("row.n", "late_by_ms").collect().toSeq
    assert(found.map(KeyedStreamTest.text) === Seq("3|35000"))
  }

  private def refusal(mode: OutputMode)(frame: DataFrame): String =
    intercept[AnalysisException](new Run(frame, mode = mode).start()).getMessage

  private def unused(found: String) =
    s"[TIDEGATE_ALLOWED_LATENESS_UNUSED] The watermark `orders` has `allowedLateness`, but $found. " +
      "Lateness is for aggregations by windows in output mode update, which emit a corrected row " +
      "for each late row. Start the query in this mode, or leave out the argument: a longer lag keeps " +
      "late rows in every mode. SQLSTATE: 42K03"

  test("refused where no late row could put out a window again") {
    val in = events()
    assert(
      refusal(OutputMode.Append())(counts(in.toDF())) ===
        unused("the query runs in output mode append")
    )
    assert(
      refusal(OutputMode.Complete())(counts(in.toDF())) ===
        unused("the query runs in output mode complete")
    )
    val keyed = in
      .toDF()
      .withKeyedWatermark(
        "time",
        "2 seconds",
        name = "orders",
        allowedLateness = "1 hour"
      )
    assert(
      refusal(OutputMode.Update())(keyed.dropDuplicates("time")) ===
        unused("the query has no aggregation by windows on this watermark")
    )
    assert(
      refusal(OutputMode.Update())(counts(in.toDF()).groupBy("count").agg(max("window"))) ===
        unused("its windows stand below another aggregation, and come out once")
          .replace("Start the query in this mode, or leave", "Leave")
    )
    assert(
      intercept[AnalysisException](counts(in.toDF(), "-1 second")).getCondition ===
        "TIDEGATE_DURATION_TOO_SMALL"
    )
    // Without lateness it is as if the argument was left out.
    new Run(counts(in.toDF(), "0 seconds")).start().settle().stop()
  }
}
