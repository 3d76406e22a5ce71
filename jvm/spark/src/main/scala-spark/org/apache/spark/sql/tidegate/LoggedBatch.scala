package org.apache.spark.sql.tidegate

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SQLExecution

/** A batch in the offset log of its query. */
final class LoggedBatch private (
    query: MicroBatchExecution,
    batchId: Long,
    entry: OffsetFormats.Entry,
    metadata: OffsetFormats.Metadata
) {

  def timestampMs: Long = metadata.batchTimestampMs

  /**
   * Where the previous batch ended. Spark's own search finds it, because with asynchronous progress
   * the log has gaps.
   */
  def start: StreamProgress =
    query
      .validateOffsetLogAndGetPrevOffset(batchId)
      .fold(new StreamProgress)(OffsetFormats.progress(query, _))

  def end: StreamProgress = OffsetFormats.progress(query, entry)

  /** Runs a plan with the metadata of this batch, and drops its rows. */
  def run(plan: LogicalPlan): Unit = {
    val session = SparkInternals.batchSession(query)
    val execution = new IncrementalExecution(
      session,
      plan,
      query.outputMode,
      query.resolvedCheckpointRoot,
      query.id,
      query.runId,
      batchId,
      prevOffsetSeqMetadata = None,
      metadata,
      WatermarkPropagator(session.sessionState.conf),
      isFirstBatch = false
    )
    val (context, key) = (session.sparkContext, MicroBatchExecution.BATCH_ID_KEY)
    val before = context.getLocalProperty(key)
    context.setLocalProperty(key, batchId.toString)
    try SQLExecution.withNewExecutionId(execution)(execution.toRdd.foreach(_ => ()))
    finally context.setLocalProperty(key, before)
  }
}

object LoggedBatch {

  /** `None` if the log lacks the batch. */
  def of(query: MicroBatchExecution, batchId: Long): Option[LoggedBatch] =
    for (entry <- query.offsetLog.get(batchId); metadata <- OffsetFormats.metadata(entry))
      yield new LoggedBatch(query, batchId, entry, metadata)
}
