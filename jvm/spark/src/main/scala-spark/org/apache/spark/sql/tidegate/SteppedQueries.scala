package org.apache.spark.sql.tidegate

import java.util.concurrent.TimeUnit

import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.classic.ClassicConversions.castToImpl
import org.apache.spark.sql.execution.streaming.sources.ForeachBatchSink
import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery, Trigger}
import org.apache.spark.sql.{DataFrame, Dataset, Row}
import org.apache.spark.util.Clock

/** Starts queries with a clock of a test, which Spark's public API does not offer. */
object SteppedQueries {

  /** Every trigger of such a query waits for the clock, however far its time is. */
  private val EachTrigger = Trigger.ProcessingTime(1)

  /**
   * Starts a query that runs one trigger at each step of the clock, or that ends by itself.
   *
   * @param batch
   *   gets the rows of each batch, and its number
   */
  def start(
      df: DataFrame,
      checkpoint: String,
      mode: OutputMode,
      endsByItself: Boolean,
      clock: SteppedClock
  )(batch: (Dataset[Row], Long) => Unit): StreamingQuery =
    castToImpl(df.sparkSession).sessionState.streamingQueryManager.startQuery(
      userSpecifiedName = None,
      userSpecifiedCheckpointLocation = Some(checkpoint),
      df = castToImpl(df),
      extraOptions = Map.empty,
      sink = new ForeachBatchSink[Row](batch(_, _), ExpressionEncoder(df.schema)),
      outputMode = mode,
      trigger = if (endsByItself) Trigger.AvailableNow() else EachTrigger,
      triggerClock = clock
    )
}

/**
 * The trigger clock of one query: its time is given, and between two triggers the query waits for
 * [[step]]. So what a test does between two steps cannot meet a trigger half-way.
 */
final class SteppedClock(nowMs: () => Long) extends Clock {
  private var isWaiting = false
  private var mayGoOn = false

  override def getTimeMillis(): Long = nowMs()

  override def nanoTime(): Long = TimeUnit.MILLISECONDS.toNanos(nowMs())

  /** Called by the query when a trigger has ended. */
  override def waitTillTime(targetTime: Long): Long = synchronized {
    isWaiting = true
    notifyAll()
    while (!mayGoOn) wait()
    mayGoOn = false
    nowMs()
  }

  /** Lets the query run its next trigger, and waits for its end. */
  def step(isActive: => Boolean): Unit = {
    synchronized {
      isWaiting = false
      mayGoOn = true
      notifyAll()
    }
    awaitTrigger(isActive)
  }

  /** Waits for the end of a trigger, or of a query that fails. */
  def awaitTrigger(isActive: => Boolean): Unit = synchronized {
    while (!isWaiting && isActive) wait(SteppedClock.FailureMs)
  }
}

private object SteppedClock {

  /** A query that fails does not tell its clock. */
  private val FailureMs = 50L
}
