package tidegate.execution

import java.time.Instant

import org.apache.spark.sql.catalyst.expressions.Attribute
import tidegate.core.clock.OperatorBatch

/** Watermarks as `EXPLAIN` shows them. */
private[execution] object WatermarkText {

  /** What an operator runs on in a batch. */
  def of(times: OperatorBatch, time: Attribute, key: Byte): String =
    s"$time, key=$key, late below ${of(times.lateMs)}, eviction below ${of(times.evictionMs)}, " +
      s"idle=${times.idle}"

  /** A watermark in UTC. */
  def of(ms: Long): String =
    if (ms == OperatorBatch.NothingLate) "none" else Instant.ofEpochMilli(ms).toString
}
