package tidegate.preparation

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import tidegate.clock.StateCheckpoint
import tidegate.errors.CheckpointErrors
import tidegate.operators.StatefulOperators
import tidegate.own.deduplication.DeduplicateByTime
import tidegate.own.join.IntervalJoin
import tidegate.plans.StateFormat

/**
 * Whether this version can read the states of joins and deduplications in a checkpoint. The formats
 * of frames and sessions are in the clock's offset, and that of an order in its mark.
 */
private[preparation] object RestoredFormats {

  /**
   * @param plan
   *   the query, with its `DropLate`s
   * @throws AnalysisException
   *   if a newer version wrote one of them
   */
  def check(plan: LogicalPlan, checkpoint: StateCheckpoint): Unit =
    for {
      (id, kind) <- checkpoint.operators.toSeq.sortBy(_._1)
      if kind == IntervalJoin.StateName || kind == DeduplicateByTime.StateName
      schema <- checkpoint.stateSchema(id)
      found = StateFormat.of(schema.keySchema.last.metadata)
      if found > StateFormat.Current
    } throw CheckpointErrors.newerState(
      StatefulOperators.withOwnId(plan, id).getOrElse(s"the operator with the number $id"),
      found,
      StateFormat.Current
    )
}
