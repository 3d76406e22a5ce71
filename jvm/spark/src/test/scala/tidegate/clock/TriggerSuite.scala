package tidegate
package clock

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{OutputMode, StreamingQueryException, Trigger}

/** The clock and Spark's own machinery: triggers, offset log, output modes, settings. */
class TriggerSuite extends RestartTest with ClosesInNextBatch {

  private def counts(df: DataFrame): DataFrame =
    df.groupBy(window(col("time"), "10 seconds")).agg(count("*"))

  test("no empty batch at a start when nothing changed, and none for a watermark nobody uses") {
    val in = events()
    val run = new Run(in.toDF().withKeyedWatermark("time", "0 seconds")).start()
    in.addData(event("a", 5))
    run.settle()
    in.addData(event("a", 500))
    run.settle()
    assert(run.batchCount === 2)
    val batches = run.batchCount
    run.restart().settle()
    run.restart().settle()
    assert(run.batchCount === batches)
    assert(run.watermark("time") === Some(500000L))
  }

  test("AvailableNow runs one after another give what one run gives, and end with wall clock") {
    val folder = files(
      Seq(event("a", 5), event("b", 3)),
      Seq(event("a", 35)),
      Seq(event("b", 14)),
      Seq(event("a", 55), event("b", 33))
    )
    def frame = counts(
      stream(folder).withKeyedWatermark(
        "time",
        policy = limitingTimestampAndWallClockLag("2 seconds", "2000 days"),
        substream = Seq("sub")
      )
    )
    val run = new Run(frame)
    run.runOnce(Trigger.AvailableNow())
    assert(run.answer === Seq("[0,10)|2", "[10,20)|1"))
    run.runOnce(Trigger.AvailableNow())
    assert(run.answer === Seq("[0,10)|2", "[10,20)|1"))
  }

  test("without batches for no data, the vector moves with the next data batch") {
    withConf("spark.sql.streaming.noDataMicroBatches.enabled" -> "false") {
      val in = events()
      val run = new Run(counts(in.toDF().withKeyedWatermark("time", "0 seconds"))).start()
      in.addData(event("a", 5))
      run.settle()
      in.addData(event("a", 25))
      run.settle()
      assert(run.take() === Nil)
      run.restart().settle()
      assert(run.take() === Nil)
      in.addData(event("a", 26))
      run.settle()
      assert(run.take() === Seq("[0,10)|1"))
    }
  }

  test("another number of shuffle partitions at the restart changes nothing") {
    val in = events()
    val run = new Run(counts(in.toDF().withKeyedWatermark("time", "0 seconds"))).start()
    in.addData(event("a", 5), event("a", 15))
    run.settle().stop()
    withConf("spark.sql.shuffle.partitions" -> "3")(run.start())
    in.addData(event("a", 25), event("a", 16))
    run.settle()
    assert(run.answer === Seq("[0,10)|1", "[10,20)|2"))
  }

  test("a checkpoint edited by hand, so that a watermark goes back, fails the query") {
    val folder = files(Seq(event("a", 5)), Seq(event("a", 25)), Seq(event("a", 45)))
    val run = new Run(counts(stream(folder).withKeyedWatermark("time", "0 seconds")))
    run.start().settle().stop()
    val last = run.log.last
    val cut = Checkpoints.cut(run.checkpoint, last.id, last.id - 1, last.dataOffsets)
    Checkpoints
      .edit(cut.resolve(s"offsets/${last.id}"))(_.replace("\"watermark\":45000", "\"watermark\":1"))
    val again = new Run(counts(stream(folder).withKeyedWatermark("time", "0 seconds")), cut)
    val error = intercept[StreamingQueryException](again.start().settle())
    assert(
      error.getMessage.contains(
        "[TIDEGATE_WATERMARK_WENT_BACK] The watermark `time` with key 0 would go back from 25000 " +
          "to 1 (epoch ms). Watermarks only grow; the checkpoint was changed by hand or belongs " +
          "to another query. Start with a new checkpoint. SQLSTATE: KD000"
      )
    )
  }

  test("update mode drops late rows, complete mode keeps them") {
    def total(mode: OutputMode): Run = {
      val in = events()
      val run =
        new Run(counts(in.toDF().withKeyedWatermark("time", "0 seconds")), mode = mode).start()
      in.addData(event("a", 5))
      run.settle()
      in.addData(event("a", 25))
      run.settle()
      run.clear()
      in.addData(event("a", 6), event("a", 26))
      run.settle()
    }
    assert(total(OutputMode.Update()).answer === Seq("[20,30)|2"))
    assert(total(OutputMode.Complete()).answer === Seq("[0,10)|2", "[20,30)|2"))
  }
}
