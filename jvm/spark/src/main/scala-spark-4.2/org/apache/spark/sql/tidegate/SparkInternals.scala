package org.apache.spark.sql.tidegate

import java.util.UUID

import org.apache.hadoop.conf.Configuration
import org.apache.spark.SparkContext
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.ClassicConversions._
import org.apache.spark.sql.execution.SparkStrategy
import org.apache.spark.sql.execution.streaming.runtime.{StreamExecution, StreamingQueryWrapper}
import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryException}
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.{Dataset, SparkSession, classic}

/** What Spark keeps private of sessions, their DataFrames and their queries. */
object SparkInternals {
  private val InitializationMs = 60000L

  /** The analyzed plan of a DataFrame. */
  def analyzed(ds: Dataset[_]): LogicalPlan = ds.queryExecution.analyzed

  /** Analyzes a plan that was parsed. */
  def analyze(session: SparkSession, plan: LogicalPlan): LogicalPlan =
    castToImpl(session).sessionState.analyzer.execute(plan)

  /** The plan of a DataFrame that a source of the first version made. */
  def logical(ds: Dataset[_]): LogicalPlan = ds.logicalPlan

  /** A dataset over `plan`, analyzed, with the encoder of `ds`. */
  def withPlan[T](ds: Dataset[T], plan: LogicalPlan): Dataset[T] =
    classic.Dataset(ds.sparkSession, plan)(ds.encoder)

  /** Whether a planner strategy of the given class is part of the session. */
  def hasStrategy(session: SparkSession, strategy: Class[_ <: SparkStrategy]): Boolean =
    castToImpl(session).sessionState.planner.strategies.exists(strategy.isInstance)

  /** Whether the session has a function of this name. */
  def isFunction(session: SparkSession, name: Seq[String]): Boolean =
    castToImpl(session).sessionState.catalog.functionExists(FunctionIdentifier(name.last))

  private def activeSession: Option[classic.SparkSession] =
    classic.SparkSession.getActiveSession.orElse(classic.SparkSession.getDefaultSession)

  /** The context of the session that this thread works for, if there is one. */
  def activeContext: Option[SparkContext] = activeSession.map(_.sparkContext)

  /** The streaming query on whose behalf this thread works, if there is one. */
  def activeQuery(context: SparkContext): Option[MicroBatchExecution] =
    for {
      id <- Option(context.getLocalProperty(StreamExecution.QUERY_ID_KEY))
      session <- activeSession
      query <- Option(session.sharedState.activeStreamingQueries.get(UUID.fromString(id)))
      microBatch <- Option(query).collect { case m: MicroBatchExecution => m }
    } yield microBatch

  /**
   * The execution behind a query handle, running or ended, once its plan is there: `start` returns
   * before that.
   */
  def execution(query: StreamingQuery): Option[MicroBatchExecution] = query match {
    case wrapper: StreamingQueryWrapper => execution(wrapper.streamingQuery)
    case m: MicroBatchExecution         =>
      if (m.queryExecutionThread ne Thread.currentThread) awaitPlan(m)
      Some(m)
    case _ => None
  }

  private def awaitPlan(query: MicroBatchExecution): Unit =
    try query.awaitInitialization(InitializationMs)
    catch {
      // A query that has failed still tells what it saw.
      case _: StreamingQueryException => ()
    }

  /** A grouping key in which equal floating-point numbers have equal bits. */
  def normalized(key: Expression): Expression = NormalizeFloatingNumbers.normalize(key)

  /** A type in which everything may be null. */
  def nullable(dataType: DataType): DataType = dataType.asNullable

  /** How a session reads files. */
  def hadoopConf(session: SparkSession): Configuration =
    castToImpl(session).sessionState.newHadoopConf()

  /** The session in which the batches of a query run. */
  def batchSession(query: StreamExecution): classic.SparkSession = query.sparkSessionForStream
}
