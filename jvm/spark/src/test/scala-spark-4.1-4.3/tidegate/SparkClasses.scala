package tidegate

import org.apache.spark.sql.execution.streaming.operators.stateful
import org.apache.spark.sql.execution.streaming.{checkpointing, runtime}

/** Classes of Spark that only the tests use, and that are in other packages in other versions. */
object SparkClasses {
  type MemoryStream[A] = runtime.MemoryStream[A]
  val MemoryStream: runtime.MemoryStream.type = runtime.MemoryStream
  val LongOffset: runtime.LongOffset.type = runtime.LongOffset
  val EventTimeStats: stateful.EventTimeStats.type = stateful.EventTimeStats
  val OffsetSeq: checkpointing.OffsetSeq.type = checkpointing.OffsetSeq
  val StreamingDeduplicateExec: stateful.StreamingDeduplicateExec.type =
    stateful.StreamingDeduplicateExec
  val StateStoreSaveExec: stateful.StateStoreSaveExec.type = stateful.StateStoreSaveExec
}
