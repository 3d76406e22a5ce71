package org.apache.spark.sql

import org.apache.spark.sql.catalyst.{expressions, plans}
import org.apache.spark.sql.execution.python.{streaming => python}
import org.apache.spark.sql.execution.streaming

/**
 * The parts of Spark that differ between its versions, or that Spark keeps private. Code outside of
 * this package compiles against every supported version.
 *
 * This object has the classes that differ only in their package or name. What is used differently
 * in other versions has a file of its own.
 */
package object tidegate {

  // Running queries.
  type MicroBatchExecution = streaming.MicroBatchExecution
  type MicroBatchExecutionContext = streaming.MicroBatchExecutionContext
  type IncrementalExecution = streaming.IncrementalExecution
  type ProgressReporter = streaming.ProgressReporter
  type StreamExecution = streaming.StreamExecution
  val StreamExecution: streaming.StreamExecution.type = streaming.StreamExecution
  type StreamExecutionContext = streaming.StreamExecutionContext
  type StreamProgress = streaming.StreamProgress
  type StreamingExecutionRelation = streaming.StreamingExecutionRelation
  type StreamingQueryWrapper = streaming.StreamingQueryWrapper
  type StreamingQueryListenerBus = streaming.StreamingQueryListenerBus
  type FileStreamSink = streaming.FileStreamSink
  val MicroBatchExecution: streaming.MicroBatchExecution.type = streaming.MicroBatchExecution
  val WatermarkPropagator: streaming.WatermarkPropagator.type = streaming.WatermarkPropagator

  // Checkpoints.
  type CommitLog = streaming.CommitLog
  type OffsetSeq = streaming.OffsetSeq
  type OffsetSeqLog = streaming.OffsetSeqLog
  type OffsetSeqMetadata = streaming.OffsetSeqMetadata
  val CheckpointFileManager: streaming.CheckpointFileManager.type =
    streaming.CheckpointFileManager
  val SerializedOffset: streaming.SerializedOffset.type = streaming.SerializedOffset
  val StreamMetadata: streaming.StreamMetadata.type = streaming.StreamMetadata

  // Stateful operators.
  type StatefulOperatorStateInfo = streaming.StatefulOperatorStateInfo
  type StateStoreWriter = streaming.StateStoreWriter

  type StatefulOperator = streaming.StatefulOperator
  type StatefulOpStateStoreCheckpointInfo = streaming.StatefulOpStateStoreCheckpointInfo
  type StatefulOperatorCustomMetric = streaming.StatefulOperatorCustomMetric
  type StatefulOperatorCustomSumMetric = streaming.StatefulOperatorCustomSumMetric
  val StatefulOperatorCustomSumMetric: streaming.StatefulOperatorCustomSumMetric.type =
    streaming.StatefulOperatorCustomSumMetric
  type StateStoreSaveExec = streaming.StateStoreSaveExec
  type SessionWindowStateStoreRestoreExec = streaming.SessionWindowStateStoreRestoreExec
  type SessionWindowStateStoreSaveExec = streaming.SessionWindowStateStoreSaveExec
  type StreamingDeduplicateExec = streaming.StreamingDeduplicateExec
  type StreamingDeduplicateWithinWatermarkExec = streaming.StreamingDeduplicateWithinWatermarkExec
  type StreamingGlobalLimitExec = streaming.StreamingGlobalLimitExec
  type StreamingSymmetricHashJoinExec = streaming.StreamingSymmetricHashJoinExec
  type FlatMapGroupsWithStateExec = streaming.FlatMapGroupsWithStateExec
  type TransformWithStateExec = streaming.TransformWithStateExec
  type TransformWithStateInPySparkExec = python.TransformWithStateInPandasExec
  type TransformWithStateInPySpark = plans.logical.TransformWithStateInPandas
  type WatermarkSupport = streaming.WatermarkSupport
  type UpdateEventTimeColumnExec = streaming.UpdateEventTimeColumnExec
  val StatefulOperatorPartitioning: streaming.StatefulOperatorPartitioning.type =
    streaming.StatefulOperatorPartitioning
  val JoinStateHelper: streaming.StreamingSymmetricHashJoinHelper.type =
    streaming.StreamingSymmetricHashJoinHelper

  // Expressions.
  type TimestampAddInterval = expressions.TimeAdd
  val TimestampAddInterval: expressions.TimeAdd.type = expressions.TimeAdd
}
