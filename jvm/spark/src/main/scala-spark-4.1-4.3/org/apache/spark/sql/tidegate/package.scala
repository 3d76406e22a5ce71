package org.apache.spark.sql

import org.apache.spark.sql.catalyst.{expressions, plans}
import org.apache.spark.sql.execution.python.{streaming => python}
import org.apache.spark.sql.execution.streaming.operators.stateful
import org.apache.spark.sql.execution.streaming.operators.stateful.{
  flatmapgroupswithstate,
  join,
  transformwithstate
}
import org.apache.spark.sql.execution.streaming.{checkpointing, runtime, sinks}

/**
 * The parts of Spark that differ between its versions, or that Spark keeps private. Code outside of
 * this package compiles against every supported version.
 *
 * This object has the classes that differ only in their package or name. What is used differently
 * in other versions has a file of its own.
 */
package object tidegate {

  // Running queries.
  type MicroBatchExecution = runtime.MicroBatchExecution
  type MicroBatchExecutionContext = runtime.MicroBatchExecutionContext
  type IncrementalExecution = runtime.IncrementalExecution
  type ProgressReporter = runtime.ProgressReporter
  type StreamExecution = runtime.StreamExecution
  val StreamExecution: runtime.StreamExecution.type = runtime.StreamExecution
  type StreamExecutionContext = runtime.StreamExecutionContext
  type StreamProgress = runtime.StreamProgress
  type StreamingExecutionRelation = runtime.StreamingExecutionRelation
  type StreamingQueryWrapper = runtime.StreamingQueryWrapper
  type StreamingQueryListenerBus = runtime.StreamingQueryListenerBus
  type FileStreamSink = sinks.FileStreamSink
  val MicroBatchExecution: runtime.MicroBatchExecution.type = runtime.MicroBatchExecution
  val WatermarkPropagator: runtime.WatermarkPropagator.type = runtime.WatermarkPropagator

  // Checkpoints.
  type CommitLog = checkpointing.CommitLog
  type OffsetSeq = checkpointing.OffsetSeq
  type OffsetSeqLog = checkpointing.OffsetSeqLog
  type OffsetSeqMetadata = checkpointing.OffsetSeqMetadata
  val CheckpointFileManager: checkpointing.CheckpointFileManager.type =
    checkpointing.CheckpointFileManager
  val SerializedOffset: runtime.SerializedOffset.type = runtime.SerializedOffset
  val StreamMetadata: runtime.StreamMetadata.type = runtime.StreamMetadata

  // Stateful operators.
  type StatefulOperatorStateInfo = stateful.StatefulOperatorStateInfo
  type StateStoreWriter = stateful.StateStoreWriter

  type StatefulOperator = stateful.StatefulOperator
  type StatefulOpStateStoreCheckpointInfo = stateful.StatefulOpStateStoreCheckpointInfo
  type StatefulOperatorCustomMetric = stateful.StatefulOperatorCustomMetric
  type StatefulOperatorCustomSumMetric = stateful.StatefulOperatorCustomSumMetric
  val StatefulOperatorCustomSumMetric: stateful.StatefulOperatorCustomSumMetric.type =
    stateful.StatefulOperatorCustomSumMetric
  type StateStoreSaveExec = stateful.StateStoreSaveExec
  type SessionWindowStateStoreRestoreExec = stateful.SessionWindowStateStoreRestoreExec
  type SessionWindowStateStoreSaveExec = stateful.SessionWindowStateStoreSaveExec
  type StreamingDeduplicateExec = stateful.StreamingDeduplicateExec
  type StreamingDeduplicateWithinWatermarkExec = stateful.StreamingDeduplicateWithinWatermarkExec
  type StreamingGlobalLimitExec = stateful.StreamingGlobalLimitExec
  type StreamingSymmetricHashJoinExec = join.StreamingSymmetricHashJoinExec
  type FlatMapGroupsWithStateExec = flatmapgroupswithstate.FlatMapGroupsWithStateExec
  type TransformWithStateExec = transformwithstate.TransformWithStateExec
  type TransformWithStateInPySparkExec = python.TransformWithStateInPySparkExec
  type TransformWithStateInPySpark = plans.logical.TransformWithStateInPySpark
  type WatermarkSupport = stateful.WatermarkSupport
  type UpdateEventTimeColumnExec = stateful.UpdateEventTimeColumnExec
  val StatefulOperatorPartitioning: stateful.StatefulOperatorPartitioning.type =
    stateful.StatefulOperatorPartitioning
  val JoinStateHelper: join.StreamingSymmetricHashJoinHelper.type =
    join.StreamingSymmetricHashJoinHelper

  // Expressions.
  type TimestampAddInterval = expressions.TimestampAddInterval
  val TimestampAddInterval: expressions.TimestampAddInterval.type = expressions.TimestampAddInterval
}
