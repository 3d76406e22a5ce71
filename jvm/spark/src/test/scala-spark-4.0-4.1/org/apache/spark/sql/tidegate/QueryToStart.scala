package org.apache.spark.sql.tidegate

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.streaming.WriteToStream
import org.apache.spark.sql.streaming.OutputMode

/** A query as Spark is about to start it. Its folder is one text in these versions of Spark. */
private[tidegate] object QueryToStart {
  def apply(checkpoint: String, mode: OutputMode, analyzed: LogicalPlan): WriteToStream =
    WriteToStream("test", checkpoint, null, mode, deleteCheckpointOnStop = false, analyzed, None, None)
}
