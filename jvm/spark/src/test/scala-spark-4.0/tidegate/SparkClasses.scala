package tidegate

import org.apache.spark.sql.execution.streaming
import org.apache.spark.sql.{Encoder, SparkSession}

/** Classes of Spark that only the tests use, and that are in other packages in other versions. */
object SparkClasses {
  type MemoryStream[A] = streaming.MemoryStream[A]
  val LongOffset: streaming.LongOffset.type = streaming.LongOffset
  val EventTimeStats: streaming.EventTimeStats.type = streaming.EventTimeStats
  val OffsetSeq: streaming.OffsetSeq.type = streaming.OffsetSeq
  val StreamingDeduplicateExec: streaming.StreamingDeduplicateExec.type =
    streaming.StreamingDeduplicateExec
  val StateStoreSaveExec: streaming.StateStoreSaveExec.type = streaming.StateStoreSaveExec

  object MemoryStream {
    def apply[A](implicit encoder: Encoder[A], session: SparkSession): MemoryStream[A] =
      streaming.MemoryStream[A](encoder, session.sqlContext)
  }
}
