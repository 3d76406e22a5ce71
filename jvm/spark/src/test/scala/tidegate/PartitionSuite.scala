package tidegate

import java.sql.Timestamp

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import tidegate.statistics.{SubstreamLimit, SubstreamStats}

/** Substreams that their source tells of, read or not: Kafka's partitions. */
class PartitionSuite extends KeyedStreamTest {

  private def row(second: Int): (Timestamp, Int) = at(second.toDouble) -> second

  private def rows(seconds: Range): Seq[(Timestamp, Int)] = seconds.map(row)

  private def counts(df: DataFrame, by: Seq[String] = Seq("topic", "partition")): DataFrame =
    df.withKeyedWatermark("time", "0 seconds", substream = by, idleTimeout = "5 seconds")
      .groupBy(window(col("time"), "10 seconds"))
      .count()

  private def substreams(run: Run): Map[String, Boolean] =
    watermarks(run.query).watermarks("time").substreams.map { case (name, s) => name -> s.idle }

  /** With and without a stop in the middle of a scenario. */
  private def twice(title: String)(body: (Run => Unit) => Unit): Unit = {
    test(title)(body(_ => ()))
    test(s"$title, with a restart") {
      body { run =>
        run.restart()
        run.settle()
        ()
      }
    }
  }

  twice("a partition that was never read holds time back until it speaks") { middle =>
    val log = new PartitionedLog
    log.limit = partition => if (partition == 1) 0L else Long.MaxValue
    log.send(0, rows(0 to 35): _*)
    log.send(1, rows(3 to 35): _*)
    val run = new Run(counts(log.toDF(spark))).start().settle()
    assert(run.take() === Nil)
    assert(run.watermark("time") === None)
    middle(run)
    log.limit = partition => if (partition == 1) 10L else Long.MaxValue
    run.settle()
    assert(run.lateRows === Map.empty)
    assert(run.take() === Seq("[0,10)|17", "[10,20)|20", "[20,30)|20"))
    assert(substreams(run).keySet === Set("t/0", "t/1"))
  }

  test("a partition without rows holds nothing back") {
    val log = new PartitionedLog
    log.send(0, rows(0 to 35): _*)
    log.send(1)
    val run = new Run(counts(log.toDF(spark))).start().settle()
    assert(run.take() === Seq("[0,10)|10", "[10,20)|10", "[20,30)|10"))
  }

  twice("a partition that is read to its end without a time holds nothing back any more") {
    middle =>
      val log = new PartitionedLog
      log.limit = partition => if (partition == 1) 0L else Long.MaxValue
      log.send(0, rows(0 to 35): _*)
      log.send(1, (null, 1), (null, 2))
      val run = new Run(counts(log.toDF(spark))).start().settle()
      middle(run)
      assert(run.take() === Nil)
      log.limit = _ => 1L
      run.settle()
      assert(run.take() === Seq("[0,10)|10", "[10,20)|10", "[20,30)|10"))
  }

  test("a stream of which only rows without a time were read is idle after the timeout") {
    val log = new PartitionedLog
    log.limit = _ => 0L
    log.send(0, (null, 1))
    val run = new Run(counts(log.toDF(spark))).start().settle()
    log.limit = _ => 1L
    run.settle()
    def isIdle = watermarks(run.query).watermarks("time").idle
    assert(!isIdle)
    run.clock.advance(6000)
    run.settle()
    assert(isIdle)
  }

  twice("a partition that is added while the query runs joins in") { middle =>
    val log = new PartitionedLog
    log.send(0, rows(0 to 25): _*)
    val run = new Run(counts(log.toDF(spark))).start().settle()
    assert(run.take() === Seq("[0,10)|10", "[10,20)|10"))
    middle(run)
    log.limit = partition => if (partition == 7) 0L else Long.MaxValue
    log.send(7, rows(20 to 45): _*)
    run.settle()
    log.send(0, rows(26 to 45): _*)
    run.settle()
    assert(run.take() === Nil)
    log.limit = _ => 5L
    run.settle()
    assert(run.lateRows === Map.empty)
    assert(run.take() === Seq("[20,30)|20", "[30,40)|20"))
  }

  test("a partition that is only behind is never idle, however slow the batches are") {
    val log = new PartitionedLog
    log.limit = partition => if (partition == 1) 1L else Long.MaxValue
    log.send(0, rows(0 to 35): _*)
    log.send(1, rows(0 to 20): _*)
    val run = new Run(counts(log.toDF(spark)))
    run.failIn = _ => { run.clock.advance(60000); false }
    run.start().settle()
    assert(run.lateRows === Map.empty)
    // When it is read to its end, it is silent for as long as the next batches take.
    assert(run.take() === Seq("[0,10)|20", "[10,20)|20", "[20,30)|11"))
  }

  test("a partition whose first rows are read to its end is waited for") {
    val log = new PartitionedLog
    log.limit = partition => if (partition == 1) 0L else Long.MaxValue
    log.send(0, rows(0 to 35): _*)
    log.send(1, rows(15 to 17): _*)
    val run = new Run(counts(log.toDF(spark))).start().settle()
    log.limit = _ => Long.MaxValue
    run.settle()
    assert(run.watermark("time") === Some(17000L))
  }

  test("a silent partition becomes idle although another one has more than is read") {
    val log = new PartitionedLog
    log.limit = partition => if (partition == 2) 1L else Long.MaxValue
    log.send(0, row(5))
    log.send(2, rows(5 to 60): _*)
    val run = new Run(counts(log.toDF(spark)))
    run.failIn = _ => { run.clock.advance(1000); false }
    run.start()
    run.query.processAllAvailable()
    // Partition 0 was silent for five seconds long before 2 was read to its end.
    assert(run.rowsByBatch.filter(_._2.nonEmpty).keys.min < 20)
    assert(run.lateRows === Map.empty)
  }

  test("an idle partition with new rows holds time back before they are read") {
    val log = new PartitionedLog
    log.send(0, row(5))
    log.send(1, row(5))
    val run = new Run(counts(log.toDF(spark))).start().settle()
    run.clock.advance(6000)
    run.settle()
    assert(substreams(run) === Map("t/0" -> true, "t/1" -> true))
    log.limit = partition => if (partition == 1) 0L else Long.MaxValue
    log.send(1, row(6))
    run.settle()
    log.send(0, row(25))
    run.settle()
    assert(run.take() === Nil)
    assert(substreams(run) === Map("t/0" -> false, "t/1" -> false))
    log.limit = _ => Long.MaxValue
    run.settle()
    run.clock.advance(6000)
    run.settle()
    assert(run.lateRows === Map.empty)
    assert(run.take() === Seq("[0,10)|3"))
  }

  twice("a partition that the source does not report any more holds nothing back") { middle =>
    val log = new PartitionedLog
    log.send(0, rows(0 to 35): _*)
    log.send(1, rows(3 to 12): _*)
    val run = new Run(counts(log.toDF(spark))).start().settle()
    assert(run.take() === Seq("[0,10)|17"))
    log.delete(1)
    middle(run)
    run.settle()
    assert(run.watermark("time") === Some(35000L))
    assert(run.take() === Seq("[10,20)|13", "[20,30)|10"))
    log.send(0, row(36))
    run.settle()
    assert(substreams(run) - "t/1" === Map("t/0" -> false))
  }

  test("by the partition alone, under another name and behind a filter") {
    val log = new PartitionedLog
    log.limit = partition => if (partition == 1) 0L else Long.MaxValue
    log.send(0, rows(0 to 35): _*)
    log.send(1, rows(3 to 35): _*)
    val df = log.toDF(spark).select(col("partition").as("p"), col("time"), col("n")).where("n >= 0")
    val run = new Run(counts(df, Seq("p"))).start().settle()
    assert(run.take() === Nil)
    log.limit = _ => 7L
    run.settle()
    assert(run.take() === Seq("[0,10)|17", "[10,20)|20", "[20,30)|20"))
    assert(substreams(run).keySet === Set("0", "1"))
  }

  test("more substreams than allowed: a sentence with the columns and the number") {
    val sentence =
      "[TIDEGATE_TOO_MANY_SUBSTREAMS] The watermark `time` has found 11 substreams by `n`, but " +
        "may have 10: the driver keeps the time of each. Use columns of few values, such as " +
        "Kafka's topic and partition, or raise spark.tidegate.maxSubstreams. SQLSTATE: 54000"
    withConf("spark.tidegate.maxSubstreams" -> "10") {
      // In one task, and over several batches.
      Seq(Long.MaxValue, 4L).foreach { most =>
        val log = new PartitionedLog
        log.limit = _ => most
        log.send(0, rows(0 to 30): _*)
        val run = new Run(counts(log.toDF(spark), Seq("n"))).start()
        val error = intercept[org.apache.spark.sql.streaming.StreamingQueryException](run.settle())
        assert(error.getMessage.contains(sentence))
      }
    }
  }

  test("more substreams than allowed over tasks that each have fewer: the same sentence") {
    withConf("spark.tidegate.maxSubstreams" -> "10") {
      val log = new PartitionedLog
      (0 to 4).foreach(p => log.send(p, rows(6 * p to 6 * p + 5): _*))
      val run = new Run(counts(log.toDF(spark), Seq("n"))).start()
      val error = intercept[org.apache.spark.sql.streaming.StreamingQueryException](run.settle())
      assert(error.getMessage.contains("has found 11 substreams by `n`, but may have 10"))
    }
  }

  test("the driver does not keep more substreams than one too many") {
    def stats = new SubstreamStats(Long.MaxValue, SubstreamLimit("time", Seq("n"), 10))
    val merged = stats
    (0 to 4).foreach { task =>
      val seen = stats
      (1 to 6).foreach(i => seen.observe(seen.root.of(10L * task + i), task.toLong))
      merged.merge(seen)
    }
    assert(merged.value.size === 11)
    val again = stats
    again.observe(again.root.of(1L), 99L)
    merged.merge(again)
    assert(merged.value("1") === 99L, "those that it has still rise")
  }

  test("more substreams than allowed in a batch that is read again: the same sentence") {
    val log = new PartitionedLog
    log.send(0, rows(0 to 4): _*)
    // Without windows no batch follows that would write down what the last one saw.
    def frame = log
      .toDF(spark)
      .withKeyedWatermark("time", "0 seconds", substream = Seq("n"))
      .select("n")
    val run = new Run(frame).start().settle()
    log.send(0, rows(5 to 30): _*)
    run.settle().stop()
    withConf("spark.tidegate.maxSubstreams" -> "10") {
      val error = intercept[org.apache.spark.sql.streaming.StreamingQueryException] {
        run.start().settle()
      }
      assert(error.getMessage.contains("has found 11 substreams by `n`, but may have 10"))
      assert(!error.getMessage.contains("could not be read again"))
    }
  }

  test("a hint for Kafka without substreams") {
    val lines = LogLines.during("tidegate.sources.SuggestSubstreams") {
      val log = new PartitionedLog
      new Run(counts(log.toDF(spark), Nil)).start().settle().stop()
      ()
    }
    assert(lines === Nil, "it is not Kafka")
  }
}
