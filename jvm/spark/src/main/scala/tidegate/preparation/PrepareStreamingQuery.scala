package tidegate.preparation

import scala.util.control.NonFatal

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.optimizer.InlineCTE
import org.apache.spark.sql.catalyst.plans.logical.{AnalysisHelper, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStream
import tidegate.clock.{ClockTable, SnapshotMarks, SparkCheckpoint, StateCheckpoint}
import tidegate.columns.WindowMark
import tidegate.errors.AdoptionErrors
import tidegate.own.windows.WindowCopies
import tidegate.plans.{KeyedWatermark, PreparedQuery}
import tidegate.ui.EventTimeUi

/**
 * Makes a streaming query ready to start: see [[QueryPreparation]]. Then, as the start goes on:
 *
 *   1. A checkpoint that was made without Tidegate is adopted, if the session asks for it.
 *   1. The clock is made to take no number of a source.
 */
object PrepareStreamingQuery extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case w: WriteToStream if QueryPreparation.isNeeded(w.inputQuery) =>
      val (location, session) = (w.resolvedCheckpointLocation, SparkSession.active)
      SnapshotMarks.refuse(location, session)
      val _ = new SparkCheckpoint(location, session).recover()
      val checkpoint = new StateCheckpoint(location, session)
      val query = QueryPreparation.prepared(w.inputQuery, w.outputMode, checkpoint)
      AdoptedCheckpoint.atStart(query, location, session)
      EventTimeUi.attach(session)
      w.copy(inputQuery = started(query))
    // Our window functions work with Spark's watermark too, which also needs exactly one tagged
    // column.
    case w: WriteToStream if isOfSpark(w.inputQuery) =>
      refuseKeyed(w)
      AnalysisHelper.allowInvokingTransformsInAnalyzer {
        val query = InlineCTE(alwaysInline = true)(w.inputQuery)
        WindowCopies.check(query)(_ => Some("only a keyed watermark makes windows from frames"))
        w.copy(inputQuery = SelectEventTimeColumn(PlaceNames.refuse(query)))
      }
    case w: WriteToStream if !w.inputQuery.exists(_.isInstanceOf[PreparedQuery]) =>
      SnapshotMarks.refuse(w.resolvedCheckpointLocation, SparkSession.active)
      refuseKeyed(w)
      PlaceNames.refuse(w.inputQuery)
      w
    case other => other
  }

  /** Spark would only count the sources. What cannot be read is for Spark to tell. */
  private def refuseKeyed(query: WriteToStream): Unit = {
    val location = query.resolvedCheckpointLocation
    val isKeyed =
      try new SparkCheckpoint(location, SparkSession.active).isKeyed
      catch { case NonFatal(_) => false }
    if (isKeyed) throw AdoptionErrors.checkpointOfKeyed(location)
  }

  private def started(query: PreparedQuery): LogicalPlan =
    AnalysisHelper.allowInvokingTransformsInAnalyzer(ClockTable.withoutNumber(query))

  private def isOfSpark(query: LogicalPlan): Boolean =
    !query.exists(_.isInstanceOf[KeyedWatermark]) &&
      query.exists(_.output.exists(WindowMark.of(_).isDefined))
}
