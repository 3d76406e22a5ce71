package tidegate.preparation

import java.time.Instant

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}
import tidegate.clock.StateCheckpoint
import tidegate.columns.WindowGrid
import tidegate.core.window.WindowChange
import tidegate.errors.CheckpointErrors
import tidegate.operators.StatefulOperators
import tidegate.plans.{DropLate, FrameAggregate, NoFrames}

/** Whether a query can go on with the frames of its checkpoint, and what that does to windows. */
private[tidegate] object RestoredFrames extends Logging {

  /** Whether the checkpoint has frames of an aggregation. */
  def exist(plan: LogicalPlan, a: Aggregate, checkpoint: StateCheckpoint): Boolean =
    StatefulOperators
      .nameInQuery(a)
      .map(operator => StatefulOperators.ownId(plan, operator.name))
      .exists(id => checkpoint.operators.get(id).contains(FrameAggregate.StateName))

  /**
   * Prints a verdict for all windows that were changed.
   *
   * @param batch
   *   the same plan as a batch will have it
   * @throws AnalysisException
   *   if the query has no use for frames that are there
   */
  def check(plan: LogicalPlan, batch: LogicalPlan, checkpoint: StateCheckpoint): Unit =
    checkpoint.operators.filter(_._2 == FrameAggregate.StateName).keys.toSeq.sorted.foreach { id =>
      val frames = batch.collect {
        case f @ FrameAggregate(_, _, Some(name), _) if StatefulOperators.ownId(plan, name) == id =>
          f
      }
      frames.headOption match {
        case Some(f) =>
          windowsOf(f.operator.get, checkpoint).filter(_ != f.grid).foreach { before =>
            logWarning(verdict(f, before, checkpoint))
          }
        case None => throw refused(plan, id, checkpoint)
      }
    }

  private def windowsOf(operator: String, checkpoint: StateCheckpoint): Option[WindowGrid] =
    checkpoint.marks.get(operator).flatMap(_.frames)

  private def refused(plan: LogicalPlan, id: Long, checkpoint: StateCheckpoint) = {
    val operator =
      StatefulOperators.withOwnId(plan, id).getOrElse(s"the operator with the number $id")
    val reason = plan.collectFirst {
      case n: NoFrames if n.child.exists {
            case d: DropLate => d.operator == operator
            case _           => false
          } =>
        s"the query cannot use them: ${n.reason}"
    }
    CheckpointErrors.framesRefused(
      operator,
      windowsOf(operator, checkpoint).fold("sliding windows")(_.toString),
      reason.getOrElse("the query has no sliding windows there")
    )
  }

  private def verdict(
      f: FrameAggregate,
      before: WindowGrid,
      checkpoint: StateCheckpoint
  ): String = {
    val change = WindowChange(before.inMicros, f.grid.inMicros)
    val watermarkMs = checkpoint.marks(f.operator.get).evictionMs.getOrElse(0L)
    val purged = change.purged(watermarkMs * MicrosPerMs)
    val result = (change.keepsFramesWhole, purged) match {
      case (true, None)                => "compatible, all windows are exact"
      case (true, Some((first, last))) =>
        s"compatible with these windows affected: those that end from ${time(first)} to " +
          s"${time(last)} miss the rows that had left the state"
      case (false, _) =>
        val first = f.grid.inMicros.lastEnd(watermarkMs * MicrosPerMs) + f.grid.inMicros.slide
        s"compatible with these windows affected: from the one that ends at ${time(first)} to the " +
          "last one with rows from before, as their frames move to the new frame in which they end"
    }
    s"The windows of ${f.operator.get} were changed from $before to ${f.grid}: $result."
  }

  private val MicrosPerMs = 1000L

  private def time(micros: Long): String =
    Instant.ofEpochMilli(Math.floorDiv(micros, MicrosPerMs)).toString
}
