package tidegate
package clock

import java.nio.file.{Files, Path}

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{StreamingQueryException, Trigger}
import org.apache.spark.sql.{AnalysisException, DataFrame}

/** A checkpoint that a query with another watermark goes on from, or that was damaged. */
class ChangedQuerySuite extends RestartTest {

  private def counts(df: DataFrame): DataFrame =
    df.groupBy(window(col("time"), "10 seconds")).agg(count("*"))

  private def of(folder: Path, policy: PolicySpec, substream: String = "sub"): DataFrame = counts(
    stream(folder)
      .withColumn("parity", col("n") % 2)
      .withKeyedWatermark("time", policy = policy, substream = Seq(substream))
  )

  private def folder: Path = files(
    Seq(event("a", 5), event("b", 3)),
    Seq(event("a", 35), event("b", 24)),
    Seq(event("a", 36), event("b", 25))
  )

  private def warnings(body: => Unit): Seq[String] =
    LogLines.during("tidegate.clock.ClockLog")(body)

  test("another policy goes on from the watermark, and the log says so") {
    val in = folder
    val checkpoint = newCheckpoint()
    val first = new Run(of(in, limitingLagAndDelay("0 seconds", "1 hour")), checkpoint)
    first.start().settle()
    assert(first.watermark("time") === Some(24000L))
    first.stop()
    addFile(in, 3, Seq(event("a", 37), event("b", 31)))
    val again = new Run(of(in, limitingLagAndLull("0 seconds", "1 minute")), checkpoint)
    val lines = warnings { val _ = again.start().settle() }
    assert(again.watermark("time") === Some(31000L))
    assert(again.lateRows === Map.empty)
    assert(
      lines === Seq(
        s"Query ${again.query.id}, watermark `time`: the checkpoint was made with the policy " +
          "limitingLagAndDelay(0 ms, 3600000 ms), and the query now has " +
          "limitingLagAndLull(0 ms, 60000 ms). Each substream continues from its watermark; " +
          "silence is counted from now on."
      )
    )
  }

  test("other substream columns: the old substreams leave, the watermark stays, the log says so") {
    val in = folder
    val checkpoint = newCheckpoint()
    new Run(of(in, fixedLag("0 seconds")), checkpoint).start().settle().stop()
    addFile(in, 3, Seq(event("a", 37, 1), event("b", 28, 2)))
    val again = new Run(of(in, fixedLag("0 seconds"), "parity"), checkpoint)
    val lines = warnings { val _ = again.start().settle() }
    assert(again.running.figures.watermarks("time").substreams.keySet === Set("0", "1"))
    assert(again.watermark("time").exists(_ >= 24000L))
    assert(
      lines.head.endsWith(
        "watermark `time`: the checkpoint was made with the substream columns sub STRING, and the " +
          "query now has the substream columns parity INT. The old substreams are left out; the " +
          "watermark stays at 1970-01-01T00:00:24Z, and rows below it are late."
      )
    )
  }

  test("short runs that a scheduler starts: a silent substream does not hold time for ever") {
    val in = files(Seq(event("a", 5), event("b", 3)))
    val run = new Run(
      counts(
        stream(in)
          .withKeyedWatermark("time", "0 seconds", substream = Seq("sub"), idleTimeout = "1 minute")
      )
    )
    (1 to 4).foreach { i =>
      run.runOnce(Trigger.AvailableNow())
      run.clock.advance(30000)
      addFile(in, i, Seq(event("a", 20.0 * i)))
    }
    assert(run.answer.take(2) === Seq("[0,10)|2", "[20,30)|1"))
  }

  private def union(left: Path, right: Path, names: (String, String), by: (String, String)) = {
    def one(in: Path, name: String, column: String) = stream(in)
      .withColumn("parity", (col("n") % 2).cast("string"))
      .withKeyedWatermark("time", "0 seconds", substream = Seq(column), name = name)
    counts(one(left, names._1, by._1).union(one(right, names._2, by._2)))
  }

  test("streams that are swapped in a union are refused by their names, before anything is read") {
    val (left, right) = (folder, folder)
    val checkpoint = newCheckpoint()
    val columns = ("sub", "sub")
    new Run(union(left, right, ("l", "r"), columns), checkpoint).start().settle().stop()
    val error = intercept[AnalysisException] {
      new Run(union(right, left, ("r", "l"), columns), checkpoint).start()
    }
    assert(
      error.getMessage ===
        "[TIDEGATE_STREAMS_MOVED] The stream of the watermark `r` is source 1 of the query in this " +
        "query, but was source 2 of the query when the checkpoint was made. Spark's checkpoint " +
        "knows streams only by their places: each would continue where another one stopped. " +
        "Restore the order of the streams, or start with a new checkpoint. SQLSTATE: KD000"
    )
    new Run(union(left, right, ("l", "r"), columns), checkpoint).start().settle().stop()
  }

  test("streams whose sources have names in Spark may change their places") {
    assume(NamedSources.areThere)
    withConf(
      "spark.sql.streaming.queryEvolution.enableSourceEvolution" -> "true",
      "spark.sql.streaming.offsetLog.formatVersion" -> "2"
    ) {
      val (left, right) = (folder, folder)
      val checkpoint = newCheckpoint()
      def one(in: Path, name: String) = NamedSources
        .named(spark.readStream, name)
        .schema(KeyedStreamTest.eventEncoder.schema)
        .json(in.toString)
        .withKeyedWatermark("time", "0 seconds", substream = Seq("sub"), name = name)
      def query(first: DataFrame, second: DataFrame) = counts(first.union(second))
      new Run(query(one(left, "l"), one(right, "r")), checkpoint).start().settle().stop()
      addFile(left, 3, Seq(event("a", 45), event("b", 45)))
      addFile(right, 3, Seq(event("a", 45), event("b", 45)))
      val again = new Run(query(one(right, "r"), one(left, "l")), checkpoint).start().settle()
      assert(again.lateRows === Map.empty)
      assert(again.watermark("l") === Some(45000L))
      assert(again.watermark("r") === Some(45000L))
    }
  }

  test("streams that are swapped in a union are refused by their substream columns") {
    val (left, right) = (folder, folder)
    val checkpoint = newCheckpoint()
    new Run(union(left, right, (null, null), ("sub", "parity")), checkpoint).start().settle().stop()
    val error = intercept[AnalysisException] {
      new Run(union(right, left, (null, null), ("parity", "sub")), checkpoint).start()
    }
    assert(
      error.getMessage.contains(
        "The stream of the watermark `time` is one with the substream columns parity STRING in " +
          "this query, but was one with the substream columns sub STRING when"
      )
    )
  }

  test("a damaged offset is refused, with file, watermark and advice; nothing is written") {
    val in = folder
    val checkpoint = newCheckpoint()
    val run = new Run(of(in, fixedLag("0 seconds")), checkpoint).start().settle()
    val last = run.log.last.id
    run.stop()
    val file = checkpoint.resolve(s"offsets/$last")
    val whole = Files.readString(file)
    def refusal(change: String => String): String = {
      Checkpoints.edit(file)(change)
      val before = listing(checkpoint)
      val error =
        intercept[Exception](new Run(of(in, fixedLag("0 seconds")), checkpoint).start().settle())
      assert(listing(checkpoint) === before)
      Checkpoints.edit(file)(_ => whole)
      error match {
        case e: StreamingQueryException => e.cause.getMessage
        case e                          => e.getMessage
      }
    }
    assert(
      refusal(_.replace("{\"time\":{\"key\":0", "{\"time\":{\"key\":300")) ===
        "[TIDEGATE_DAMAGED_OFFSET] The checkpoint has a damaged offset of the Tidegate clock in " +
        s"file:$file. `nodes.time.key` is 300; it must be a whole number from 0 to 127. The damage " +
        "concerns the watermark `time`. Nothing was read, and nothing was written. Restore this " +
        "file from a copy of the checkpoint, or start with a new checkpoint. SQLSTATE: KD000"
    )
    assert(
      refusal(_.replaceFirst("(\"tidegateClock\":1,\"savedAt\":)[^\\n]*", "$1")).contains(
        "The text is no JSON: it is cut off, or was changed. The damage concerns all watermarks of " +
          "the query."
      )
    )
  }

  private def listing(folder: Path): Seq[String] = {
    val paths = Files.walk(folder)
    try paths.toArray.toSeq.map(_.toString).filterNot(_.contains(".crc")).sorted
    finally paths.close()
  }

  test("without batches for no data, the first watermark starts none either") {
    withConf("spark.sql.streaming.noDataMicroBatches.enabled" -> "false") {
      val in = events()
      val run = new Run(counts(in.toDF().withKeyedWatermark("time", "0 seconds"))).start()
      in.addData(event("a", 5))
      run.settle()
      assert(run.batchCount === 1)
    }
  }

  test("a maxFutureSkew that reaches beyond the end of TIMESTAMP is no limit") {
    val in = events()
    val keyed = in.toDF().withKeyedWatermark("time", "0 seconds", maxFutureSkew = "106751990 days")
    val run = new Run(counts(keyed)).start()
    in.addData(event("a", 5), event("a", 25))
    run.settle()
    assert(run.answer === Seq("[0,10)|1"))
    assert(run.running.figures.watermarks("time").futureEvents.inAll === 0L)
  }

  test("a query without stateful operators runs no empty batch") {
    val in = events()
    val run = new Run(in.toDF().withKeyedWatermark("time", "0 seconds")).start().settle()
    assert(run.batchCount === 0)
    in.addData(event("a", 5))
    run.settle()
    assert(run.batchCount === 1)
  }
}
