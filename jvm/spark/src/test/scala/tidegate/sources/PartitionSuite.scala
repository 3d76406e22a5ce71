package tidegate
package sources

import java.sql.Timestamp

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import tidegate.core.clock.SubstreamLimit
import tidegate.statistics.SubstreamStats

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
      (1 to 6).foreach(i => seen.observe(seen.root.of(10L * task + i), task.toLong, 0))
      merged.merge(seen)
    }
    assert(merged.value.size === 11)
    val again = stats
    again.observe(again.root.of(1L), 99L, 0)
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
