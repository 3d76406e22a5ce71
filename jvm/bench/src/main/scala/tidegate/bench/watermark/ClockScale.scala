package tidegate.bench.watermark

import java.lang.management.ManagementFactory
import java.nio.file.Files

import scala.util.Random

import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.tidegate.SparkInternals
import org.apache.spark.sql.{Encoders, SparkSession}
import org.apache.spark.util.SizeEstimator
import tidegate._
import tidegate.bench.Pairs
import tidegate.core.policy.PolicySpec

/**
 * Measures the clock with 10,000 substreams: the size of its offset, its memory, its time, and the
 * cost of an idle query.
 */
private[watermark] object ClockScale {
  private val Substreams = 10000
  private val Batches = 110
  private val IdleSeconds = 10
  private val Polls = 20000

  def run(spark: SparkSession): Unit = {
    println(s"The clock with $Substreams substreams")
    spark.conf.set("spark.sql.streaming.numRecentProgressUpdates", "100")
    plain(spark)
    Seq(
      "fixedLag" -> fixedLag("5 seconds"),
      "limitingLagAndLull" -> limitingLagAndLull("5 seconds", "3600 seconds")
    ).foreach { case (name, policy) =>
      run(spark, name, policy)
    }
  }

  private def run(spark: SparkSession, name: String, policy: PolicySpec): Unit = {
    val in =
      MemoryStream[(String, Long)](Encoders.tuple(Encoders.STRING, Encoders.scalaLong), spark)
    val query = in
      .toDF()
      .select(col("_1").as("tenant"), timestamp_millis(col("_2")).as("time"))
      .withKeyedWatermark("time", policy = policy, substream = Seq("tenant"))
      .groupBy(window(col("time"), "10 seconds"))
      .count()
      .writeStream
      .format("noop")
      .option("checkpointLocation", Files.createTempDirectory("bench").toString)
      .start()
    val random = new Random(1)
    (0 until Batches).foreach { batch =>
      in.addData((0 until Substreams).map { i =>
        s"tenant-$i" -> (1700000000000L + batch * 500L + random.nextInt(10000))
      })
      query.processAllAvailable()
    }
    report(name, query)
    query.stop()
    reportPoll(name, query)
  }

  /** Prints what an idle query costs without a keyed watermark. */
  private def plain(spark: SparkSession): Unit = {
    val in = MemoryStream[Long](Encoders.scalaLong, spark)
    val query = in
      .toDF()
      .select(timestamp_millis(col("value")).as("time"))
      .withWatermark("time", "5 seconds")
      .groupBy(window(col("time"), "10 seconds"))
      .count()
      .writeStream
      .format("noop")
      .option("checkpointLocation", Files.createTempDirectory("bench").toString)
      .start()
    in.addData(1700000000000L)
    query.processAllAvailable()
    println(
      f" withWatermark, for comparison: idle query uses ${idlePercent(query)}%.2f %% of a core"
    )
    query.stop()
  }

  private def report(name: String, query: StreamingQuery): Unit = {
    val clock = query.lastProgress.sources.find(_.description == "tidegate_clock").get
    val evaluation = query.recentProgress.filter(_.numInputRows > 0).map { p =>
      p.durationMs.get("latestOffset").doubleValue
    }
    val json = query.recentProgress.flatMap(_.sources).filter(_.description == "tidegate_clock")
    val texts = json.flatMap(s => Seq(s.startOffset, s.endOffset, s.latestOffset)).filter(_ != null)
    val distinct = texts.groupBy(System.identityHashCode).values.map(_.head)
    val source = tidegate.clock.RunningQuery.of(SparkInternals.execution(query).get).get.clock
    // What grows with the number of substreams.
    val clockBytes = SizeEstimator.estimate(Seq("time", "latest", "parsed").map { name =>
      val field = source.getClass.getDeclaredField(name)
      field.setAccessible(true)
      field.get(source)
    })
    println(
      f" $name: offset ${clock.endOffset.length / 1000.0}%.1f kB, " +
        f"latestOffset ${Pairs.median(evaluation.toSeq)}%.0f ms median, ${evaluation.max}%.0f ms max"
    )
    println(
      f" $name: memory of the clock ${clockBytes / 1e6}%.1f MB, of the offsets in " +
        f"${query.recentProgress.length} progress entries ${distinct.map(_.length.toLong).sum / 1e6}%.1f MB"
    )
    println(f" $name: idle query uses ${idlePercent(query)}%.2f %% of a core")
  }

  /** Prints the clock's share of an idle query, which asks the clock some 95 times a second. */
  private def reportPoll(name: String, query: StreamingQuery): Unit = {
    val clock = tidegate.clock.RunningQuery
      .of(SparkInternals.execution(query).get)
      .get
      .clock
      .asInstanceOf[tidegate.clock.EventTimeClock]
    val limit = clock.getDefaultReadLimit
    var offset = clock.latestOffset(clock.initialOffset(), limit)
    def polls(n: Int): Double = {
      val start = System.nanoTime()
      (1 to n).foreach { _ =>
        offset = clock.latestOffset(clock.deserializeOffset(offset.json), limit)
      }
      (System.nanoTime() - start) / 1e3 / n
    }
    polls(Polls)
    val micros = polls(Polls)
    println(
      f" $name: one poll with nothing new takes $micros%.1f us: ${micros * 95 / 1e4}%.3f %% of a core"
    )
  }

  private def idlePercent(query: StreamingQuery): Double = {
    val threads = ManagementFactory.getThreadMXBean
    val thread = SparkInternals.execution(query).get.queryExecutionThread.getId
    query.processAllAvailable()
    val before = threads.getThreadCpuTime(thread)
    Thread.sleep(IdleSeconds * 1000L)
    (threads.getThreadCpuTime(thread) - before) / (IdleSeconds * 1e7)
  }
}
