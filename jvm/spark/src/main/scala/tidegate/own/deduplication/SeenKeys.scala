package tidegate.own.deduplication

import java.util.concurrent.TimeUnit

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.StructType
import tidegate.core.Saturating
import tidegate.core.due.DueKeys
import tidegate.own.StateRows

/** The keys of one partition whose first row has passed. */
private[deduplication] final class SeenKeys(
    store: StateRows,
    expiring: DueKeys[UnsafeRow],
    keyOf: UnsafeProjection,
    expiry: Expiry,
    valueSchema: StructType,
    dropped: SQLMetric
) {
  private val value =
    UnsafeProjection
      .create(valueSchema)
      .apply(InternalRow.fromSeq(Seq.fill(valueSchema.size)(null)))
  private var earliest = Long.MaxValue

  /** Whether no row with the same key has passed before; notes the key. */
  def isFirst(row: InternalRow): Boolean = {
    val key = keyOf(row)
    val isNew = store.get(key) == null
    if (isNew) keep(key, row) else dropped += 1
    isNew
  }

  private def keep(key: UnsafeRow, row: InternalRow): Unit = {
    if (expiry.isKnown(row)) {
      // Sets the column, which is not null from then on.
      value.setLong(0, expiry.at)
      expiring.add(key, expiry.at)
      earliest = math.min(earliest, expiry.at)
    } else value.setNullAt(0)
    store.put(key, value, isNew = true)
  }

  /** Removes the keys that leave between two limits, and writes the others; returns no row. */
  def removed(before: Long, now: Long): Iterator[InternalRow] = {
    // Before the first watermark the limit is the lowest time there is, which a row may have.
    if (now > before || now > Long.MinValue && earliest <= now) {
      expiring.takeUpTo(now).foreach(entry => store.remove(entry.key))
    }
    expiring.flush()
    Iterator.empty
  }
}

private[deduplication] object SeenKeys {

  /** The column of the state that has the time, in µs, at which a key leaves. */
  val ExpiresAt = "expiresAtMicros"
}

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
