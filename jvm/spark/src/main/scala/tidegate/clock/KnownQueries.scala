package tidegate.clock

import java.lang.ref.WeakReference
import java.util.UUID
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.tidegate.{MicroBatchExecution, SparkInternals}
import tidegate.errors.QueryErrors

/**
 * The queries of a session, for callers that have a name or an id but no handle: those that run,
 * and the last ones with a clock that have ended. Spark itself forgets a query when it ends.
 */
private[tidegate] object KnownQueries {
  private val ended = new EndedRuns(max = 100)

  /** The runs of all sessions that have asked their clock, by their ids. */
  private val begun = new ConcurrentHashMap[UUID, RunningQuery]()

  /** To be called when a query asks its clock for the first time. */
  private[clock] def begins(query: RunningQuery): Unit = {
    val _ = begun.put(query.ids.runId, query)
  }

  /** All runs of all sessions, also the last ones that have ended; those that run come first. */
  def everywhere: Seq[SeenQuery] = {
    val running = begun.values.asScala.toSeq.map(seen).sortBy(q => (q.ids.label, q.ids.id))
    running ++ ended.all
      .filterNot(run => running.exists(_.ids.runId == run.ids.runId))
      .map(run => SeenQuery(run.ids, run.view, run.sight, Map.empty))
  }

  /** A run of any session by its id. */
  def run(id: String): Option[SeenQuery] =
    begun.values.asScala
      .find(_.ids.runId.toString == id)
      .map(seen)
      .orElse(everywhere.find(_.ids.runId.toString == id))

  private def seen(run: RunningQuery): SeenQuery = SeenQuery(
    run.ids,
    QueryView.of(run),
    QuerySight.of(run, run.state),
    run.nodes.map(node => node.spec.name -> run.unreadRows(node.spec.name)).toMap
  )

  /** To be called when a query ends. */
  private[clock] def ends(
      query: MicroBatchExecution,
      last: QueryView,
      sight: QuerySight
  ): Unit = {
    ended.add(
      EndedRun(QueryIds.of(query), new WeakReference(query.sparkSession), last, sight.shortened)
    )
    val _ = begun.remove(query.runId)
  }

  /**
   * The watermarks of one query; a query that starts is waited for.
   *
   * @param query
   *   its name, its id, or the id of one of its runs; a query that runs comes before those that
   *   have ended, and of those the last one is taken
   * @throws AnalysisException
   *   if the session has no such query, or if the query has no keyed watermark or no plan
   */
  def view(session: SparkSession, query: String): (QueryIds, QueryView) =
    find(session, query)(QueryView.of(_: StreamingQuery), _.view)

  /** What one query tells of its time; as `view`. */
  def sight(session: SparkSession, query: String): (QueryIds, QuerySight) =
    find(session, query)(QuerySight.of(_: StreamingQuery), _.sight)

  private def find[T](session: SparkSession, query: String)(
      ofActive: StreamingQuery => T,
      ofEnded: EndedRun => T
  ): (QueryIds, T) = {
    // Before the others: a query may end in between.
    val active = session.streams.active.toSeq
    val past = ended.of(session)
    active
      .find(QueryIds.of(_).matches(query))
      .map(q => QueryIds.of(q) -> ofActive(q))
      .orElse(past.find(_.ids.matches(query)).map(run => run.ids -> ofEnded(run)))
      .getOrElse {
        val known = active.map(QueryIds.of(_).label) ++ past.map(_.ids.label)
        throw QueryErrors.unknownQuery(query, known.distinct)
      }
  }

  /**
   * The watermarks of all queries of a session that run and have a clock, by name. A query that
   * Spark has not planned yet is left out.
   */
  def views(session: SparkSession): Seq[(QueryIds, QueryView)] =
    ofAll(session)(QueryView.of(_: RunningQuery))

  /** What all queries of a session that run tell of their time; as `views`. */
  def sights(session: SparkSession): Seq[(QueryIds, QuerySight)] =
    ofAll(session)(run => QuerySight.of(run, run.state))

  private def ofAll[T](session: SparkSession)(of: RunningQuery => T): Seq[(QueryIds, T)] =
    session.streams.active.toSeq
      .flatMap(q => running(q).map(QueryIds.of(q) -> of(_)))
      .sortBy { case (ids, _) => (ids.label, ids.id) }

  private def running(query: StreamingQuery): Option[RunningQuery] =
    SparkInternals.plannedExecution(query).flatMap(RunningQuery.of)
}
