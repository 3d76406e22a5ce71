package tidegate.own.deduplication

import java.util.concurrent.TimeUnit

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import tidegate.core.Saturating

/**
 * When the key of a row leaves the state, in µs.
 *
 * @param time
 *   the time of a row as the only column
 * @param retentionMs
 *   how long after its time a key is kept; none if the time is one of the keys
 */
private[deduplication] final class Expiry(time: UnsafeProjection, retentionMs: Option[Long]) {
  private val retention = retentionMs.fold(0L)(TimeUnit.MILLISECONDS.toMicros)
  private var micros = 0L

  /** The result of the last call of `isKnown`. */
  def at: Long = micros

  /**
   * Whether the key of a row ever leaves. With a retention it does: as in Spark, a NULL time is the
   * epoch. If the time is one of the keys, a NULL in it stays for ever, in Spark too.
   */
  def isKnown(row: InternalRow): Boolean = {
    val t = time(row)
    val isNull = t.isNullAt(0)
    micros = Saturating.add(if (isNull) 0L else t.getLong(0), retention)
    !isNull || retentionMs.isDefined
  }
}
