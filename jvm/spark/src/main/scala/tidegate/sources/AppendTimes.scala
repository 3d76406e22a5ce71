package tidegate.sources

import org.apache.spark.unsafe.types.UTF8String
import tidegate.errors.QueryErrors

/** Called by generated code. */
object AppendTimes {
  private val LogAppendTime = 1
  private val Names = Map(-1 -> "NoTimestampType", 0 -> "CreateTime")

  /**
   * The timestamp of a Kafka row, in µs, if the broker set it.
   *
   * @throws AnalysisException
   *   if the producer set it
   */
  def checked(micros: Long, kind: Int, topic: UTF8String): Long = {
    if (kind != LogAppendTime) {
      throw QueryErrors.notAppendTime(topic.toString, Names.getOrElse(kind, kind.toString))
    }
    micros
  }
}
