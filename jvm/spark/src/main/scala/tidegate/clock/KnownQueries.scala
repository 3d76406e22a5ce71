package tidegate.clock

import java.lang.ref.WeakReference
import java.util.UUID
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.tidegate.SparkInternals
import tidegate.core.figures.{QueryFigures, QueryIds}
import tidegate.errors.QueryErrors

/**
 * The figures of queries: by a handle, and for callers that have a name or an id but no handle.
 * Known are the queries that run, and the last ones with a clock that have ended. Spark itself
 * forgets a query when it ends.
 */
private[tidegate] object KnownQueries {
  private val ended = new EndedRuns(max = 100)

  /** So many batches and events are kept of a query that has ended. */
  private val AfterTheEnd = 100

  /** The runs of all sessions that have asked their clock, by their ids. */
  private val begun = new ConcurrentHashMap[UUID, RunningQuery]()

  def ids(query: StreamingQuery): QueryIds = RunningQuery.ids(query)

  /** To be called when a query asks its clock for the first time. */
  private[clock] def begins(query: RunningQuery): Unit = {
    val _ = begun.put(query.ids.runId, query)
  }

  /** To be called when a query ends. */
  private[clock] def ends(query: RunningQuery): Unit = {
    val last = query.lastFigures.last(AfterTheEnd)
    ended.add(EndedRun(new WeakReference(query.session), last))
    val _ = begun.remove(last.ids.runId)
  }

  /** All runs of all sessions, also the last ones that have ended; those that run come first. */
  def everywhere: Seq[QueryFigures] = {
    val running = begun.values.asScala.toSeq.map(_.figures).sortBy(q => (q.ids.label, q.ids.id))
    running ++ ended.all.filterNot(run => running.exists(_.ids.runId == run.ids.runId))
  }

  /** A run of any session by its id. */
  def run(id: String): Option[QueryFigures] =
    begun.values.asScala
      .find(_.ids.runId.toString == id)
      .map(_.figures)
      .orElse(ended.all.find(_.ids.runId.toString == id))

  /**
   * The figures of a query, running or ended.
   *
   * @throws AnalysisException
   *   if the query has no keyed watermark, or no plan
   */
  def of(query: StreamingQuery): QueryFigures = SparkInternals.execution(query) match {
    case None if SparkInternals.isMicroBatch(query) =>
      throw QueryErrors.queryWithoutPlan(ids(query).label, query.isActive, query.exception)
    case execution =>
      execution
        .flatMap(RunningQuery.of)
        .getOrElse(throw QueryErrors.notTidegateQuery(ids(query).label))
        .figures
  }

  /**
   * The figures of one query; a query that starts is waited for.
   *
   * @param query
   *   its name, its id, or the id of one of its runs; a query that runs comes before those that
   *   have ended, and of those the last one is taken
   * @throws AnalysisException
   *   if the session has no such query, or if the query has no keyed watermark or no plan
   */
  def of(session: SparkSession, query: String): QueryFigures = {
    // Before the others: a query may end in between.
    val active = session.streams.active.toSeq
    val past = ended.of(session)
    active
      .find(ids(_).matches(query))
      .map(of(_))
      .orElse(past.find(_.ids.matches(query)))
      .getOrElse {
        val known = active.map(ids(_).label) ++ past.map(_.ids.label)
        throw QueryErrors.unknownQuery(query, known.distinct)
      }
  }

  /**
   * The figures of all queries of a session that run and have a clock, by name. A query that Spark
   * has not planned yet is left out.
   */
  def all(session: SparkSession): Seq[QueryFigures] =
    session.streams.active.toSeq
      .flatMap(SparkInternals.plannedExecution(_).flatMap(RunningQuery.of))
      .map(_.figures)
      .sortBy(q => (q.ids.label, q.ids.id))
}

/** The final figures of a run that has ended; its session does not stay in memory for them. */
private[clock] final case class EndedRun(
    session: WeakReference[SparkSession],
    figures: QueryFigures
)

/** The last runs that have ended, `max` of all sessions together. */
private[clock] final class EndedRuns(max: Int) {
  private var newestFirst = List.empty[EndedRun]

  def add(run: EndedRun): Unit = synchronized {
    val others = newestFirst.filterNot(_.figures.ids.runId == run.figures.ids.runId)
    newestFirst = (run :: others).take(max)
  }

  /** Those of all sessions, the newest first. */
  def all: Seq[QueryFigures] = synchronized(newestFirst).map(_.figures)

  /** Those of one session, the newest first. */
  def of(session: SparkSession): Seq[QueryFigures] =
    synchronized(newestFirst).filter(_.session.get eq session).map(_.figures)
}
