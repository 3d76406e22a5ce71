package tidegate.preparation

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.streaming.{OutputMode, StreamingQuery}
import org.apache.spark.sql.tidegate.SparkInternals
import tidegate.clock.{ClockTable, SparkCheckpoint, StateCheckpoint}
import tidegate.errors.AdoptionErrors
import tidegate.paths.FolderCall
import tidegate.plans.PreparedQuery
import tidegate.settings.Settings

/** A checkpoint that was made without Tidegate, and from which a keyed query is to continue. */
private[tidegate] object AdoptedCheckpoint {

  /**
   * Adopts the checkpoint of a query that starts, if the session or the checkpoint says so.
   *
   * @throws AnalysisException
   *   `TIDEGATE_CHECKPOINT_OF_SPARK` if they do not
   */
  def atStart(query: PreparedQuery, location: String, session: SparkSession): Unit = {
    val checkpoint = new SparkCheckpoint(location, session)
    if (checkpoint.isOfSpark(sources(query).size - 1)) {
      if (!checkpoint.isMarked && !Settings.AdoptCheckpoint.in(query.conf))
        throw AdoptionErrors.checkpointOfSpark(location)
      val _ = changing("adopt", location, session) {
        checkpoint.adopt(query.decisions.time, place(query))
      }
    }
  }

  /** A kill may fall between any two steps of a change, and so may a fault of the disk. */
  private def changing[T](call: String, location: String, session: SparkSession)(body: => T): T =
    FolderCall(call, session, Seq("checkpoint" -> location))
      .running("The checkpoint stays as it was, or has the whole new log.")(body)

  /**
   * Adopts a checkpoint for a query that does not run.
   *
   * @return
   *   the watermark with which the query continues, in epoch ms; 0 if there is none
   */
  def adopt(plan: LogicalPlan, mode: OutputMode, location: String, session: SparkSession): Long =
    changing("adopt", location, session)(SparkInternals.inSession(session) {
      refuseRunning(location, session)
      val checkpoint = new SparkCheckpoint(location, session)
      val _ = checkpoint.recover()
      if (!checkpoint.exists) throw AdoptionErrors.noCheckpoint(location)
      val query = QueryPreparation
        .prepare(plan, mode, new StateCheckpoint(location, session))
        .getOrElse(throw AdoptionErrors.nothingToAdopt())
      val data = sources(query).size - 1
      if (!checkpoint.isOfSpark(data)) {
        val found = checkpoint.sources.filterNot(_ == data + 1)
        found.foreach(n => throw AdoptionErrors.otherSources(location, n, data))
        throw AdoptionErrors.alreadyAdopted(location)
      }
      checkpoint.adopt(query.decisions.time, place(query))
    })

  /**
   * Adopts a checkpoint for a query that was stopped: with its plan and its output mode.
   *
   * @return
   *   as the other `adopt`
   */
  def adopt(query: StreamingQuery, location: String): Long = {
    val label = Option(query.name).getOrElse(query.id.toString)
    if (query.isActive) {
      val own = SparkInternals.checkpointOf(query).getOrElse(location)
      throw AdoptionErrors.stillRunning(own, label)
    }
    val (plan, mode) =
      SparkInternals.startedWith(query).getOrElse(throw AdoptionErrors.queryWithoutPlan(label))
    // Made for the checkpoint of that query: with the names and frames that were found there.
    if (plan.exists(_.isInstanceOf[PreparedQuery])) throw AdoptionErrors.preparedQuery(label)
    adopt(plan, mode, location, SparkInternals.sessionOf(query))
  }

  /** See [[SparkCheckpoint.release]]. */
  def release(location: String, session: SparkSession): Long =
    changing("release", location, session) {
      refuseRunning(location, session)
      val checkpoint = new SparkCheckpoint(location, session)
      val isEnded = checkpoint.recover()
      if (isEnded && !checkpoint.hasClock) checkpoint.watermarkMs else checkpoint.release()
    }

  /** See [[SparkCheckpoint.markForAdoption]]. */
  def mark(location: String, session: SparkSession): Unit = changing("adopt", location, session) {
    refuseRunning(location, session)
    val checkpoint = new SparkCheckpoint(location, session)
    val _ = checkpoint.recover()
    checkpoint.markForAdoption()
  }

  private def refuseRunning(location: String, session: SparkSession): Unit =
    SparkInternals
      .queryOn(session, location)
      .foreach(name => throw AdoptionErrors.stillRunning(location, name))

  /** As Spark's log by places has them: one that is read twice is there twice. */
  private def sources(query: PreparedQuery): Seq[LogicalPlan] =
    query.collectLeaves().filter(l => ClockTable.isRelation(l) || QueryTimes.isSource(l))

  private def place(query: PreparedQuery): Int = sources(query).indexWhere(ClockTable.isRelation)
}
