package org.apache.spark.sql.tidegate

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.classic.ClassicConversions.castToImpl
import org.apache.spark.sql.classic.{Dataset, SparkSession, StreamingQueryManager}
import org.apache.spark.sql.execution.streaming.sources.ForeachBatchSink
import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery, Trigger}
import org.apache.spark.sql.{DataFrame, Row, SparkSession => AnySession}

/**
 * Starts a query to see whether it starts: no listener hears of it, it is not among the queries of
 * the session, and it makes nothing outside of its checkpoint.
 */
object UnseenQuery extends Logging {
  private val Property = "tidegate.unseen"

  def start(df: DataFrame, checkpoint: String, mode: OutputMode)(
      batch: (Dataset[Row], Long) => Unit
  ): StreamingQuery = {
    val classic = castToImpl(df)
    val session = classic.sparkSession.cloneSession()
    session.listenerManager.clear()
    hide(session)
    val context = session.sparkContext
    // The thread of the query has what this one has when the query is started.
    val before = context.getLocalProperty(Property)
    context.setLocalProperty(Property, "true")
    try
      session.sessionState.streamingQueryManager.startQuery(
        userSpecifiedName = None,
        userSpecifiedCheckpointLocation = Some(checkpoint),
        df = classic,
        extraOptions = Map.empty,
        sink = new ForeachBatchSink[Row](batch(_, _), ExpressionEncoder(df.schema)),
        outputMode = mode,
        trigger = Trigger.ProcessingTime(0)
      )
    finally context.setLocalProperty(Property, before)
  }

  /** Whether the thread is that of such a query. */
  def isHere(session: AnySession): Boolean =
    session.sparkContext.getLocalProperty(Property) != null

  /**
   * Spark tells all listeners of the application, its pages and its event log, of each query, and
   * has no setting for it.
   */
  private def hide(session: SparkSession): Unit = {
    val manager = session.sessionState.streamingQueryManager
    manager.listListeners().foreach(manager.removeListener)
    try {
      val bus = classOf[StreamingQueryManager].getDeclaredField("listenerBus")
      bus.setAccessible(true)
      bus.set(manager, new StreamingQueryListenerBus(None))
    } catch {
      case NonFatal(e) =>
        logWarning(s"Pages and event logs show a query that is only tried: $e")
    }
  }
}
