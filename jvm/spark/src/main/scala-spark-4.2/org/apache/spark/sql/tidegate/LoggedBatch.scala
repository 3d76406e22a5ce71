package org.apache.spark.sql.tidegate

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SQLExecution
import org.apache.spark.sql.execution.datasources.v2.StreamingDataSourceV2ScanRelation
import org.apache.spark.sql.execution.streaming.checkpointing.{OffsetSeqBase, OffsetSeqMetadataBase}
import org.apache.spark.sql.execution.streaming.runtime.{IncrementalExecution, WatermarkPropagator}

/** A batch in the offset log of its query. */
final class LoggedBatch private (
    query: MicroBatchExecution,
    batchId: Long,
    entry: OffsetSeqBase,
    metadata: OffsetSeqMetadataBase
) {

  def timestampMs: Long = metadata.batchTimestampMs

  /**
   * Where the previous batch ended. Spark's own search finds it, because with asynchronous progress
   * the log has gaps.
   */
  def start: StreamProgress =
    query.validateOffsetLogAndGetPrevOffset(batchId).fold(new StreamProgress)(progress)

  def end: StreamProgress = progress(entry)

  private def progress(entry: OffsetSeqBase): StreamProgress = {
    val named = query.logicalPlan.collect {
      case r: StreamingExecutionRelation        => r.source -> r.sourceIdentifyingName
      case r: StreamingDataSourceV2ScanRelation => r.stream -> r.relation.sourceIdentifyingName
    }
    val sources = named.map(_._1)
    val byPosition = sources.zipWithIndex.map { case (source, i) => i.toString -> source }
    val byName = named.flatMap { case (source, name) => name.nameOpt.map(_ -> source) }
    entry.toStreamProgress(sources, (byPosition ++ byName).toMap)
  }

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
    SQLExecution.withNewExecutionId(execution)(execution.toRdd.foreach(_ => ()))
  }
}

object LoggedBatch {

  /** `None` if the log lacks the batch. */
  def of(query: MicroBatchExecution, batchId: Long): Option[LoggedBatch] =
    for (entry <- query.offsetLog.get(batchId); metadata <- entry.metadataOpt)
      yield new LoggedBatch(query, batchId, entry, metadata)
}
