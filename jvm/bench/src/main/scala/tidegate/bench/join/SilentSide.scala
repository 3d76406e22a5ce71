package tidegate.bench.join

import java.nio.file.Files
import java.util.concurrent.atomic.AtomicLong

import org.apache.commons.io.FileUtils
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.execution.streaming.state.StateStore
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryProgress, Trigger}
import org.apache.spark.sql.{DataFrame, Encoders, SparkSession}
import tidegate.bench.Pairs

/**
 * A left outer join in which one part falls silent: measures how long an order without a delivery
 * waits.
 *
 * Event time runs ten times as fast as the wall clock. Rows of both streams come every 0.1 s. When
 * the silence begins, one more order comes, which is never delivered.
 */
private[join] object SilentSide {
  private val Rounds = 3
  private val Speed = 10
  private val TickMs = 100L
  private val TriggerMs = 500L
  private val WarmUpSeconds = 6
  private val CutOffSeconds = 20
  private val UndeliveredId = -1L
  private val FixedLags = Watermarks(
    ordersLag = "2 seconds",
    deliveriesLag = "2 seconds",
    ordersSubstream = Nil,
    idleTimeout = "2 seconds"
  )
  private val Lull = FixedLags.copy(deliveriesLull = "2 seconds")

  /**
   * Which rows continue in the silence: `orders` says whether orders do, `deliveries` names the
   * partitions that do.
   */
  private final case class Scenario(
      title: String,
      orders: Boolean,
      deliveries: Seq[Int],
      sides: Seq[(String, TwoStreams => TwoStreams)]
  )

  private val Scenarios = Seq(
    Scenario("the orders fall silent", orders = false, Seq(0, 1), FixedLags.sides),
    Scenario(
      "one of two substreams of the deliveries falls silent",
      orders = true,
      Seq(0),
      FixedLags.sides
    ),
    Scenario(
      "all deliveries fall silent",
      orders = true,
      Nil,
      FixedLags.sides :+ (s"withKeyedWatermark, lull ${Lull.deliveriesLull}" -> Lull.sides(1)._2)
    )
  )

  def run(spark: SparkSession): Unit = {
    println(
      s"Silence in a left outer join ($Rounds rounds; idle timeout ${FixedLags.idleTimeout}, " +
        s"trigger every $TriggerMs ms, cut off after $CutOffSeconds s; " +
        f"range and lag make ${12.0 / Speed}%.1f s of the clock)"
    )
    Scenarios.foreach { scenario =>
      println(s" ${scenario.title}: seconds until the order left without a delivery")
      scenario.sides.foreach { case (name, add) =>
        val runs = Seq.fill(Rounds) {
          val run = new SilentRun(spark, scenario, add)
          text(run.secondsToLeave()) -> run.secondsOfBatch
        }
        println(
          s"  $name: ${runs.map(_._1).mkString(", ")} " +
            f"(batches take ${Pairs.median(runs.map(_._2))}%.1f s)"
        )
      }
    }
  }

  private def text(seconds: Option[Double]): String =
    seconds.map(s => f"$s%.1f").getOrElse("never")

  /** One query, fed in step with the wall clock. */
  private final class SilentRun(
      spark: SparkSession,
      scenario: Scenario,
      add: TwoStreams => TwoStreams
  ) {
    private val orders = MemoryStream[(Long, Long)](
      Encoders.tuple(Encoders.scalaLong, Encoders.scalaLong),
      spark
    )
    private val deliveries = MemoryStream[(Long, Int, Long)](
      Encoders.tuple(Encoders.scalaLong, Encoders.scalaInt, Encoders.scalaLong),
      spark
    )
    private val start = System.nanoTime()
    private val leftAt = new AtomicLong()
    private var nextId = 0L
    private var batches = Seq.empty[StreamingQueryProgress]

    /** The median over the batches of this run. */
    def secondsOfBatch: Double =
      Pairs.median(batches.map(_.durationMs.get("triggerExecution") / 1e3))

    /** Seconds until the order left; `None` if it had not left when the run was cut off. */
    def secondsToLeave(): Option[Double] = {
      val checkpoint = Files.createTempDirectory("bench")
      val query = startQuery(checkpoint.toString)
      try {
        feedUntil(secondsFrom(start) > WarmUpSeconds, orders = true, deliveries = Seq(0, 1))
        val silence = System.nanoTime()
        orders.addData((UndeliveredId, eventTimeMs()))
        feedUntil(
          leftAt.get > 0 || secondsFrom(silence) > CutOffSeconds,
          scenario.orders,
          scenario.deliveries
        )
        query.exception.foreach(e => throw e)
        batches = query.recentProgress.toSeq.filter(_.numInputRows > 0)
        Option.when(leftAt.get > 0)((leftAt.get - silence) / 1e9)
      } finally {
        query.stop()
        StateStore.stop()
        // A task of the batch that was cut off may still be writing.
        FileUtils.deleteQuietly(checkpoint.toFile)
      }
    }

    private def startQuery(checkpoint: String): StreamingQuery = {
      val streams = TwoStreams(
        orders.toDF().select(col("_1").as("id"), timestamp_millis(col("_2")).as("order_time")),
        deliveries
          .toDF()
          .select(
            col("_1").as("id"),
            col("_2").as("part"),
            timestamp_millis(col("_3")).as("delivery_time")
          )
      )
      add(streams)
        .join("leftOuter")
        .writeStream
        .foreachBatch((rows: DataFrame, _: Long) => look(rows))
        .trigger(Trigger.ProcessingTime(TriggerMs))
        .option("checkpointLocation", checkpoint)
        .start()
    }

    private def look(rows: DataFrame): Unit = {
      val found = rows.where(col("id") === UndeliveredId && col("delivery_time").isNull).count()
      if (found > 0) leftAt.compareAndSet(0, System.nanoTime())
    }

    /**
     * Adds orders and deliveries with the current event time, one on each partition, until `done`.
     */
    private def feedUntil(done: => Boolean, orders: Boolean, deliveries: Seq[Int]): Unit =
      while (!done) {
        val now = eventTimeMs()
        if (orders) this.orders.addData((0 to 1).map(part => (nextId + part, now)))
        if (deliveries.nonEmpty) {
          this.deliveries.addData(deliveries.map(part => (nextId + part, part, now)))
        }
        nextId += 2
        Thread.sleep(TickMs)
      }

    private def eventTimeMs(): Long =
      1700000000000L + (System.nanoTime() - start) / 1000000 * Speed

    private def secondsFrom(nanos: Long): Double = (System.nanoTime() - nanos) / 1e9
  }
}
