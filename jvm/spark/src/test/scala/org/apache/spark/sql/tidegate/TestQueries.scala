package org.apache.spark.sql.tidegate

import java.util.Properties

import scala.jdk.CollectionConverters._

import com.codahale.metrics.MetricRegistry
import org.apache.spark.SparkEnv
import org.apache.spark.internal.Logging
import org.apache.spark.metrics.MetricsSystem
import org.apache.spark.metrics.sink.PrometheusServlet
import org.apache.spark.metrics.source.Source
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.classic.ClassicConversions.castToImpl
import org.apache.spark.sql.classic.{Dataset => ClassicDataset}
import org.apache.spark.sql.execution.streaming.sources.ForeachBatchSink
import org.apache.spark.sql.execution.streaming.state.StateStore
import org.apache.spark.sql.execution.{ExplainMode, SparkPlan}
import org.apache.spark.sql.streaming.StreamingQueryListener.QueryProgressEvent
import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery, StreamingQueryProgress, Trigger}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, Dataset, Row, SparkSession}
import org.apache.spark.util.{JsonProtocol, ManualClock}

/** Starts queries with a clock of the test's own, which Spark's public API does not offer. */
object TestQueries {

  /** Runs with what `spark.log.structuredLogging.enabled` turns on. */
  def withStructuredLog[T](body: => T): T = {
    Logging.enableStructuredLogging()
    try body
    finally Logging.disableStructuredLogging()
  }

  def start(
      df: DataFrame,
      checkpoint: String,
      mode: OutputMode,
      trigger: Trigger,
      clock: TestClock,
      name: Option[String] = None
  )(batch: (Dataset[Row], Long) => Unit): StreamingQuery =
    castToImpl(df.sparkSession).sessionState.streamingQueryManager.startQuery(
      userSpecifiedName = name,
      userSpecifiedCheckpointLocation = Some(checkpoint),
      df = castToImpl(df),
      extraOptions = Map.empty,
      sink = new ForeachBatchSink[Row](batch(_, _), ExpressionEncoder(df.schema)),
      outputMode = mode,
      trigger = trigger,
      triggerClock = clock
    )

  /** What a gauge of Spark's metrics shows of a query. */
  def gauge(query: StreamingQuery, name: String): Any =
    valueOf(SparkInternals.execution(query).get.streamMetrics, name)

  /** The same, as the sinks of Spark's metrics are told; `None` if they are told of none. */
  def reportedGauge(query: StreamingQuery, name: String): Option[Any] =
    reportedGauges(query).get(name)

  /** The last progress of a query, reported once more with other reports. */
  def reported(query: StreamingQuery, reports: QueryReports): StreamingQueryProgress = {
    val reporter = new EventTimeReporter(SparkInternals.execution(query).get, reports)
    reporter.updateProgress(query.lastProgress)
    reporter.lastProgress
  }

  /** All gauges of a query that the sinks of Spark's metrics are told of, by name. */
  def reportedGauges(query: StreamingQuery): Map[String, Any] = {
    val told = registry.getGauges
    val source = s"spark.streaming.${Option(query.name).getOrElse(query.id)}."
    told.asScala.collect {
      case (gauge, g) if gauge.contains(source) => gauge.split(source, 2)(1) -> (g.getValue: Any)
    }.toMap
  }

  /** The page that Spark's servlet for Prometheus shows. */
  def prometheusPage: String =
    new PrometheusServlet(new Properties, registry).getMetricsSnapshot()

  private def registry: MetricRegistry = {
    val field = classOf[MetricsSystem].getDeclaredField("registry")
    field.setAccessible(true)
    field.get(SparkEnv.get.metricsSystem).asInstanceOf[MetricRegistry]
  }

  private def valueOf(source: Source, name: String): Any =
    source.metricRegistry.getGauges.get(name).getValue

  /** Waits until listeners have heard everything. */
  def drainListeners(session: SparkSession): Unit =
    session.sparkContext.listenerBus.waitUntilEmpty()

  /** What `EXPLAIN` shows of a DataFrame. */
  def explain(df: DataFrame, mode: ExplainMode): String =
    castToImpl(df).queryExecution.explainString(mode)

  /** The plan that a DataFrame runs, with the metrics of its last run. */
  def executedPlan(df: DataFrame): SparkPlan = castToImpl(df).queryExecution.executedPlan

  /** The analyzed plan of a DataFrame. */
  def analyzedPlan(df: DataFrame): LogicalPlan = castToImpl(df).queryExecution.analyzed

  /**
   * Closes the state stores of queries that have ended. Spark does so only now and then, and a JVM
   * with thousands of open files takes long to start a process, as Spark does to delete a folder.
   */
  def closeStateStores(): Unit = StateStore.unloadAll()

  /** How many state stores this JVM has open. */
  def openStateStores: Int = {
    val loaded = StateStore.getClass.getDeclaredField("loadedProviders")
    loaded.setAccessible(true)
    loaded.get(StateStore).asInstanceOf[scala.collection.Map[_, _]].size
  }

  /** Rows of a batch, as a source of Spark's first interface gives them. */
  def batch(session: SparkSession, rows: Seq[InternalRow], schema: StructType): DataFrame =
    ClassicDataset.ofRows(
      castToImpl(session),
      LocalRelation(DataTypeUtils.toAttributes(schema), rows, isStreaming = true)
    )

  /** A progress as the event log of an application gives it back. */
  def logged(progress: StreamingQueryProgress): StreamingQueryProgress = {
    val line = JsonProtocol.sparkEventToJsonString(new QueryProgressEvent(progress))
    JsonProtocol.sparkEventFromJson(line).asInstanceOf[QueryProgressEvent].progress
  }
}

/** A clock that moves only when it is told to, in ms. */
final class TestClock(startMs: Long) extends ManualClock(startMs)
