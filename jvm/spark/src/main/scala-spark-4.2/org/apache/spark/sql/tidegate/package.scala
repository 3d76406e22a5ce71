package org.apache.spark.sql

import org.apache.spark.sql.catalyst.{expressions, plans}
import org.apache.spark.sql.execution.python.{streaming => python}
import org.apache.spark.sql.execution.streaming.operators.stateful
import org.apache.spark.sql.execution.streaming.operators.stateful.{
  flatmapgroupswithstate,
  join,
  transformwithstate
}
import org.apache.spark.sql.execution.streaming.runtime

/**
 * The parts of Spark 4.2 that differ in other versions, or that Spark keeps private. Code outside
 * of this folder compiles against every supported version.
 *
 * This object has the classes that differ only in their package or name. A class that is used
 * differently in other versions has a file of its own.
 */
package object tidegate {

  // Running queries.
  type MicroBatchExecution = runtime.MicroBatchExecution
  type MicroBatchExecutionContext = runtime.MicroBatchExecutionContext
  type StreamExecutionContext = runtime.StreamExecutionContext
  type StreamProgress = runtime.StreamProgress
  type StreamingExecutionRelation = runtime.StreamingExecutionRelation

  // Stateful operators.
  type StatefulOperatorStateInfo = stateful.StatefulOperatorStateInfo
  type StateStoreWriter = stateful.StateStoreWriter
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

  // Expressions.
  type TimestampAddInterval = expressions.TimestampAddInterval
  val TimestampAddInterval: expressions.TimestampAddInterval.type = expressions.TimestampAddInterval
}
