package org.apache.spark.sql.tidegate

import java.util.UUID

import scala.annotation.tailrec
import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.AnalysisContext
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.ClassicConversions._
import org.apache.spark.sql.connector.catalog.{FunctionCatalog, Identifier}
import org.apache.spark.sql.execution.SparkStrategy
import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery, StreamingQueryException}
import org.apache.spark.sql.types.{CalendarIntervalType, DataType, MapType}
import org.apache.spark.sql.{DataFrame, Dataset, SparkSession, classic}
import org.apache.spark.{SparkContext, TaskContext}

/** Access to Spark's private API for sessions, DataFrames and queries. */
object SparkInternals {
  private val InitializationWait = 1.minute
  private val InitializationStep = 100.millis

  /** The analyzed plan of a DataFrame. */
  def analyzed(ds: Dataset[_]): LogicalPlan = ds.queryExecution.analyzed

  /** Analyzes a plan that was parsed. */
  def analyze(session: SparkSession, plan: LogicalPlan): LogicalPlan =
    castToImpl(session).sessionState.analyzer.execute(plan)

  /** The plan of a DataFrame that a source of Spark's first source API made. */
  def logical(ds: Dataset[_]): LogicalPlan = ds.logicalPlan

  /** A dataset over `plan`, analyzed, with the encoder of `ds`. */
  def withPlan[T](ds: Dataset[T], plan: LogicalPlan): Dataset[T] =
    classic.Dataset(ds.sparkSession, plan)(ds.encoder)

  /** A DataFrame over `plan`, analyzed. */
  def dataFrame(session: SparkSession, plan: LogicalPlan): DataFrame =
    classic.Dataset.ofRows(castToImpl(session), plan)

  /** Whether a planner strategy of the given class is part of the session. */
  def hasStrategy(session: SparkSession, strategy: Class[_ <: SparkStrategy]): Boolean =
    castToImpl(session).sessionState.planner.strategies.exists(strategy.isInstance)

  /** Whether the session has a function of this name. */
  def isFunction(session: SparkSession, name: Seq[String]): Boolean = {
    val catalog = castToImpl(session).sessionState.catalog
    val schemas = None +: name.dropRight(1).lastOption.map(Option(_)).toSeq
    schemas.exists(schema => catalog.functionExists(FunctionIdentifier(name.last, schema))) ||
    // What extensions have registered.
    catalog.lookupBuiltinOrTempFunction(name.last).isDefined ||
    name.size == 1 && isInCurrentCatalog(session, name.head)
  }

  /** Whether the current catalog, or that of the view which is analyzed, has a function. */
  private def isInCurrentCatalog(session: SparkSession, name: String): Boolean = {
    val manager = castToImpl(session).sessionState.catalogManager
    val (catalog, namespace) = AnalysisContext.get.catalogAndNamespace match {
      case Seq(catalog, namespace @ _*) => manager.catalog(catalog) -> namespace.toArray
      case _                            => manager.currentCatalog -> manager.currentNamespace
    }
    catalog match {
      case functions: FunctionCatalog => functions.functionExists(Identifier.of(namespace, name))
      case _                          => false
    }
  }

  /** Runs code for which this is the active session. */
  def inSession[T](session: SparkSession)(body: => T): T = castToImpl(session).withActive(body)

  /** The name, or else the id, of the running query that has this checkpoint. */
  def queryOn(session: SparkSession, location: String): Option[String] = {
    def qualified(path: String) = {
      val p = new Path(path)
      p.getFileSystem(hadoopConf(session)).makeQualified(p)
    }
    castToImpl(session).sharedState.activeStreamingQueries
      .values()
      .asScala
      .collectFirst {
        case m: MicroBatchExecution if qualified(m.resolvedCheckpointRoot) == qualified(location) =>
          Option(m.name).getOrElse(m.id.toString)
      }
  }

  /** The checkpoint of a query in micro-batches, running or ended. */
  def checkpointOf(query: StreamingQuery): Option[String] =
    microBatch(query).map(_.resolvedCheckpointRoot)

  /**
   * Whether Spark deletes this checkpoint when its query stops: nobody has named a place for it.
   */
  def isTemporary(checkpoint: String): Boolean =
    new Path(checkpoint).getName.matches("temporary-[0-9a-f]{8}-[0-9a-f-]{27}")

  /** The analyzed plan and the output mode with which a query of Spark's was started. */
  def startedWith(query: StreamingQuery): Option[(LogicalPlan, OutputMode)] =
    microBatch(query).map(m => (m.analyzedPlan, m.outputMode))

  /** The session in which a query was started. */
  def sessionOf(query: StreamingQuery): SparkSession = query.sparkSession

  /**
   * Spark's descriptions of the sources of a query, by all that an offset log may call them: their
   * places, and their names.
   */
  def sourceDescriptions(query: StreamingQuery): Map[String, String] =
    execution(query).fold(Map.empty[String, String]) { q =>
      OffsetFormats.sources(q).map { case (name, source) => name -> source.toString }
    }

  /**
   * A session that reads states.
   *
   * @param partitions
   *   how many a state has, if its checkpoint does not say so
   */
  def readerOfStates(session: SparkSession, partitions: Int): SparkSession = {
    // Starts the coordinator of states. Spark starts it with the first query, but its state stores
    // ask for it, also in an application that only reads states.
    val _ = session.streams
    val reader = castToImpl(session).cloneSession()
    // Offset logs of format 2 lack the setting, and Spark's reader does not start without it.
    reader.sessionState.conf
      .setConfString("spark.sql.streaming.internal.stateStore.partitions", partitions.toString)
    reader
  }

  /** The folder to which a query writes files, if its sink is one of files. */
  def sinkFolder(query: StreamingQuery): Option[String] =
    microBatch(query).map(_.sink).collect { case sink: FileStreamSink =>
      // The folder is private, but the sink shows it.
      sink.toString.stripPrefix("FileSink[").stripSuffix("]")
    }

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

  /** The streaming query whose batches this thread runs, if it does. */
  def queryOfThread(context: SparkContext): Option[MicroBatchExecution] =
    activeQuery(context).filter(_.queryExecutionThread eq Thread.currentThread())

  /** The number of the batch that a query runs. */
  def batchOf(query: MicroBatchExecution): Long = query.getLatestExecutionContext().batchId

  private def microBatch(query: StreamingQuery): Option[MicroBatchExecution] = query match {
    case wrapper: StreamingQueryWrapper => microBatch(wrapper.streamingQuery)
    case m: MicroBatchExecution         => Some(m)
    case _                              => None
  }

  /** Whether a query runs in batches. */
  def isMicroBatch(query: StreamingQuery): Boolean = microBatch(query).isDefined

  /**
   * The execution behind a query handle, running or ended, with its plan. `start` returns before
   * there is a plan, so this method waits for it: for a minute at most, and no longer than the
   * query lives. `None` if the query has no plan after that.
   */
  def execution(query: StreamingQuery): Option[MicroBatchExecution] =
    executionBy(query, InitializationWait.fromNow)

  /** As `execution`, without the wait: `None` if the query has no plan yet. */
  def plannedExecution(query: StreamingQuery): Option[MicroBatchExecution] =
    executionBy(query, Deadline.now)

  /** The plan of the last batch; `None` before the first. */
  def lastPlan(query: MicroBatchExecution): Option[org.apache.spark.sql.execution.SparkPlan] =
    Option(query.lastExecution).map(_.executedPlan)

  private def executionBy(query: StreamingQuery, until: Deadline): Option[MicroBatchExecution] =
    microBatch(query).filter { m =>
      // If the query's own thread asked for the plan, Spark would make the plan now, which is too
      // early. After the plan is made, this thread runs user code only in batches.
      if (m.queryExecutionThread eq Thread.currentThread) m.lastExecution != null
      else awaitInitialization(m, until) && isPlanMade(m)
    }

  /** Whether the query is past its initialization, which may have failed. */
  @tailrec
  private def awaitInitialization(query: MicroBatchExecution, until: Deadline): Boolean = {
    val step = InitializationStep.fromNow
    try query.awaitInitialization(InitializationStep.toMillis)
    catch {
      // A failed query can still show what it saw.
      case _: StreamingQueryException => ()
    }
    // Spark does not report whether the wait timed out.
    if (step.hasTimeLeft()) true
    else if (!query.isActive || until.isOverdue()) false
    else awaitInitialization(query, until)
  }

  private def isPlanMade(query: MicroBatchExecution): Boolean =
    try query.logicalPlan != null
    catch {
      // Spark asserts that only the query's own thread makes its plan.
      case _: AssertionError => false
    }

  /** A grouping key in which equal floating-point numbers have equal bits. */
  def normalized(key: Expression): Expression = NormalizeFloatingNumbers.normalize(key)

  /** Whether a type is a map or has one in it. */
  def hasMap(dataType: DataType): Boolean = dataType.existsRecursively(_.isInstanceOf[MapType])

  /** Whether a type is an interval of months, days and microseconds, or has one in it. */
  def hasInterval(dataType: DataType): Boolean =
    dataType.existsRecursively(_ == CalendarIntervalType)

  /** The type with every part nullable. */
  def nullable(dataType: DataType): DataType = dataType.asNullable

  /** The Hadoop configuration with which a session reads files. */
  def hadoopConf(session: SparkSession): Configuration =
    castToImpl(session).sessionState.newHadoopConf()

  /**
   * The number of the batch of a plan that is made in this thread; none if the plan is of no
   * stream.
   */
  def batchOf(plan: LogicalPlan, session: SparkSession): Option[Long] =
    if (!plan.isStreaming) None
    else
      Option(session.sparkContext.getLocalProperty(MicroBatchExecution.BATCH_ID_KEY)).map(_.toLong)

  /**
   * The number of the batch that a task is part of; -1 if the task is part of no stream. In threads
   * of its own, an application has other numbers or none.
   */
  def batchId(task: TaskContext): Long =
    Option(task.getLocalProperty(MicroBatchExecution.BATCH_ID_KEY)).fold(-1L)(_.toLong)

  /** The session in which the batches of a query run. */
  def batchSession(query: StreamExecution): classic.SparkSession =
    BatchSession.of(query)
}
