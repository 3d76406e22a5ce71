package tidegate.preparation

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import tidegate.clock.StateCheckpoint
import tidegate.core.clock.NodeOrigin
import tidegate.errors.CheckpointErrors

/**
 * Whether the streams of a query are where they were when its checkpoint was made. Unless sources
 * have names, Spark knows them by their places: streams that are swapped would go on from each
 * other's offsets.
 */
private[tidegate] object RestoredNodes {

  /**
   * @throws AnalysisException
   *   if the stream of a watermark has another place, or if two streams have swapped their
   *   substream columns
   */
  def check(plan: LogicalPlan, checkpoint: StateCheckpoint): LogicalPlan = {
    val restored = for {
      node <- QueryTimes.nodes(plan)
      before <- checkpoint.origins.get(node.name)
    } yield (node.name, before, node.origin)
    restored.foreach { case (name, before, now) =>
      if (!checkpoint.isByName && before.sources != now.sources)
        throw CheckpointErrors.streamsMoved(name, place(before), place(now))
      val isSwapped = restored.exists { case (_, otherBefore, otherNow) =>
        before.columns != now.columns &&
        now.columns == otherBefore.columns && before.columns == otherNow.columns
      }
      if (isSwapped) throw CheckpointErrors.streamsMoved(name, columns(before), columns(now))
    }
    plan
  }

  private def place(origin: NodeOrigin): String =
    origin.sources.map(_ + 1).mkString("source ", " and ", " of the query")

  private def columns(origin: NodeOrigin): String =
    if (origin.columns.isEmpty) "one without substream columns"
    else origin.columns.mkString("one with the substream columns ", ", ", "")
}
