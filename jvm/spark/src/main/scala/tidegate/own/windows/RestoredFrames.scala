package tidegate.own.windows

import java.time.Instant

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}
import tidegate.clock.StateCheckpoint
import tidegate.core.EndOfTime
import tidegate.core.window.{WindowChange, WindowGrid}
import tidegate.errors.CheckpointErrors
import tidegate.operators.StatefulOperators

/** Whether a query can continue with the frames of its checkpoint, and how that affects windows. */
private[tidegate] object RestoredFrames extends Logging {

  /** Whether the checkpoint has frames of an aggregation. */
  def exist(plan: LogicalPlan, a: Aggregate, checkpoint: StateCheckpoint): Boolean =
    StatefulOperators
      .nameInQuery(a)
      .map(operator => StatefulOperators.ownId(plan, operator.name))
      .exists(id => checkpoint.operators.get(id).contains(FrameAggregate.StateName))

  /**
   * The operators whose state has short rows: as the checkpoint has them, or, without state, those
   * of windows that do not overlap.
   */
  def short(
      plan: LogicalPlan,
      windows: Map[String, WindowGrid],
      checkpoint: StateCheckpoint
  ): Set[String] = windows.collect {
    case (operator, grid)
        if checkpoint
          .stateSchema(StatefulOperators.ownId(plan, operator))
          .fold(grid.isPlain)(schema => FrameAggregate.hasShortRows(schema.valueSchema)) =>
      operator
  }.toSet

  /**
   * Logs a verdict for all windows that were changed.
   *
   * @throws AnalysisException
   *   if the checkpoint has frames that the query cannot use
   */
  def check(plan: LogicalPlan, decisions: FrameDecisions, checkpoint: StateCheckpoint): Unit =
    changes(plan, decisions, checkpoint).values.foreach(logWarning(_))

  /**
   * A verdict for the windows of each operator that were changed, by the name of the operator.
   *
   * @throws AnalysisException
   *   if the checkpoint has frames that the query cannot use
   */
  def changes(
      plan: LogicalPlan,
      decisions: FrameDecisions,
      checkpoint: StateCheckpoint
  ): Map[String, String] = {
    val ids = checkpoint.operators.filter(_._2 == FrameAggregate.StateName).keys.toSeq.sorted
    ids.flatMap { id =>
      val (operator, windows) = decisions.windows
        .find { case (operator, _) => StatefulOperators.ownId(plan, operator) == id }
        .getOrElse(throw refused(plan, id, decisions, checkpoint))
      windowsOf(operator, checkpoint)
        .filter(_ != windows)
        .map { before =>
          if (before.grows != windows.grows) {
            throw CheckpointErrors.framesRefused(
              operator,
              before.toString,
              s"the query has $windows"
            )
          }
          operator -> verdict(operator, windows, before, checkpoint)
        }
    }.toMap
  }

  private def windowsOf(operator: String, checkpoint: StateCheckpoint): Option[WindowGrid] =
    checkpoint.marks.get(operator).flatMap(_.frames)

  private def refused(
      plan: LogicalPlan,
      id: Long,
      decisions: FrameDecisions,
      checkpoint: StateCheckpoint
  ) = {
    val there = StatefulOperators.withOwnId(plan, id)
    // Another operator may have the number now.
    val operator = there
      .filter(windowsOf(_, checkpoint).isDefined)
      .getOrElse(s"the operator with the number $id")
    val reason = there.flatMap(decisions.against.get).map(r => s"the query cannot use them: $r")
    CheckpointErrors.framesRefused(
      operator,
      windowsOf(operator, checkpoint).fold("windows")(_.toString),
      reason.getOrElse("the query has no windows of a fixed size there")
    )
  }

  private def verdict(
      operator: String,
      windows: WindowGrid,
      before: WindowGrid,
      checkpoint: StateCheckpoint
  ): String = {
    val change = WindowChange(before.inMicros, windows.inMicros)
    val watermarkMs = checkpoint.marks(operator).evictionMs.getOrElse(0L)
    val purged = change.purged(EndOfTime.micros(watermarkMs))
    val result = (change.keepsFramesWhole, purged) match {
      case (true, None)                => Exact
      case (true, Some((first, last))) =>
        s"compatible with these windows affected: those that end from ${time(first)} to " +
          s"${time(last)} miss the rows that had left the state."
      case (false, _) =>
        val first = EndOfTime.plus(
          windows.inMicros.lastEnd(EndOfTime.micros(watermarkMs)),
          windows.inMicros.slide
        )
        s"compatible with these windows affected: from the one that ends at ${time(first)} to the " +
          "last one with rows from before, as their frames move to the new frame in which they end."
    }
    s"The windows of $operator were changed from $before to $windows: $result"
  }

  /** How a verdict ends if no window misses a row. */
  val Exact: String = "compatible, all windows are exact."

  private val MicrosPerMs = 1000L

  private def time(micros: Long): String =
    Instant.ofEpochMilli(Math.floorDiv(micros, MicrosPerMs)).toString
}
