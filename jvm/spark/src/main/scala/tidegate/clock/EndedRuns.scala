package tidegate.clock

import java.lang.ref.WeakReference

import org.apache.spark.sql.SparkSession

/** The final figures of a run that has ended; its session does not stay in memory for them. */
private[clock] final case class EndedRun(
    ids: QueryIds,
    session: WeakReference[SparkSession],
    view: QueryView,
    sight: QuerySight
)

/** The last runs that have ended, `max` of all sessions together. */
private[clock] final class EndedRuns(max: Int) {
  private var newestFirst = List.empty[EndedRun]

  def add(run: EndedRun): Unit = synchronized {
    newestFirst = (run :: newestFirst.filterNot(_.ids.runId == run.ids.runId)).take(max)
  }

  /** Those of all sessions, the newest first. */
  def all: Seq[EndedRun] = synchronized(newestFirst)

  /** Those of one session, the newest first. */
  def of(session: SparkSession): Seq[EndedRun] =
    synchronized(newestFirst).filter(_.session.get eq session)
}
