package tidegate.own.deduplication

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.execution.streaming.state.StateStore
import org.apache.spark.sql.types.StructType
import tidegate.core.due.DueKeys
import tidegate.own.RowCount

/** The keys of one partition whose first row has passed. */
private[deduplication] final class SeenKeys(
    store: StateStore,
    expiring: DueKeys[UnsafeRow],
    keyOf: UnsafeProjection,
    expiry: Expiry,
    valueSchema: StructType,
    count: Option[RowCount],
    counts: SeenKeys.Counts
) {
  private val value =
    UnsafeProjection
      .create(valueSchema)
      .apply(InternalRow.fromSeq(Seq.fill(valueSchema.size)(null)))
  private var earliest = Long.MaxValue

  /** Whether no row with the same key has passed before; notes the key. */
  def isFirst(row: InternalRow): Boolean = {
    val key = keyOf(row)
    val isNew = store.get(key, StateStore.DEFAULT_COL_FAMILY_NAME) == null
    if (isNew) keep(key, row) else counts.dropped += 1
    isNew
  }

  private def keep(key: UnsafeRow, row: InternalRow): Unit = {
    if (expiry.isKnown(row)) {
      // Sets the column, which is not null from then on.
      value.setLong(0, expiry.at)
      expiring.add(key, expiry.at)
      earliest = math.min(earliest, expiry.at)
    } else value.setNullAt(0)
    store.put(key, value, StateStore.DEFAULT_COL_FAMILY_NAME)
    counts.updated += 1
    count.foreach(_.added())
  }

  /** Removes the keys that leave between two limits, and writes the others; returns no row. */
  def removed(before: Long, now: Long): Iterator[InternalRow] = {
    if (now > before || earliest <= now) {
      expiring.takeUpTo(now).foreach { entry =>
        store.remove(entry.key, StateStore.DEFAULT_COL_FAMILY_NAME)
        counts.removed += 1
        count.foreach(_.removed())
      }
    }
    expiring.flush()
    Iterator.empty
  }
}

private[deduplication] object SeenKeys {

  /** The column of the state that has the time, in µs, at which a key leaves. */
  val ExpiresAt = "expiresAtMicros"

  final case class Counts(updated: SQLMetric, removed: SQLMetric, dropped: SQLMetric)
}
