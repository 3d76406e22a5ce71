package org.apache.spark.sql.tidegate

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.streaming.WriteToStream
import org.apache.spark.sql.streaming.OutputMode

/**
 * A query as Spark is about to start it. Since 4.2 Spark keeps the folder that was asked for beside
 * the one in use.
 */
private[tidegate] object QueryToStart {
  def apply(checkpoint: String, mode: OutputMode, analyzed: LogicalPlan): WriteToStream =
    WriteToStream(
      "test",
      Some(checkpoint),
      checkpoint,
      null,
      mode,
      deleteCheckpointOnStop = false,
      analyzed,
      None,
      None
    )
}
