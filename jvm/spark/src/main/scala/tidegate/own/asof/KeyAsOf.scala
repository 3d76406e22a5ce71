package tidegate.own.asof

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import tidegate.core.Saturating
import tidegate.core.due.DueKeys
import tidegate.own.StateRows

/**
 * A key of an as-of join: its rows, and when they are looked at next. Used again for other keys.
 */
private[asof] final class KeyAsOf(
    store: StateRows,
    writer: AsOfRowWriter,
    val lefts: KeySide,
    val versions: KeySide,
    dues: Pair[DueKeys[UnsafeRow]],
    limits: AsOfLimits,
    tolerance: Option[Long]
) {
  import AsOfStateSchema._

  private var key: UnsafeRow = _
  private var isStored = false
  private var (leftDue, rightDue) = (Option.empty[Long], Option.empty[Long])

  /** Begins with a key of the batch. */
  def begin(headKey: UnsafeRow): Unit = {
    key = headKey
    lefts.begin(key)
    versions.begin(key)
    val head = store.get(key)
    isStored = head != null
    leftDue = None
    rightDue = None
    if (isStored) {
      leftDue = due(head, LeftDue)
      rightDue = due(head, RightDue)
      lefts.read(head)
      versions.read(head)
    }
  }

  /**
   * Begins with a key that is due.
   *
   * @return
   *   whether the key is due at this time; if not, it has gone, or is due at another time
   */
  def beginDue(headKey: UnsafeRow, ofLeft: Boolean, micros: Long): Boolean = {
    val head = store.get(headKey)
    val isDue = head != null && due(head, if (ofLeft) LeftDue else RightDue).contains(micros)
    if (isDue) {
      begin(headKey.copy())
      lefts.sort()
      versions.sort()
    }
    isDue
  }

  private def due(head: UnsafeRow, column: Int): Option[Long] =
    Option.when(!head.isNullAt(column))(head.getLong(column))

  /** Writes what is left of the key, and notes when it is due. */
  def end(): Unit = {
    lefts.sort()
    versions.sort()
    // Left rows of the key that are decided may still be here; the key is looked at again then.
    val passed = math.min(limits.passed, Saturating.subtract(lefts.earliest, 1))
    versions.evict(passed, tolerance)
    lefts.seal()
    versions.seal()
    if (lefts.isEmpty && versions.isEmpty) {
      if (isStored) store.remove(key)
    } else {
      val nextLeft = Option.when(!lefts.isEmpty)(lefts.earliest)
      val nextVersion = versions.evictable(tolerance)
      val chunks = Pair(lefts.chunks, versions.chunks)
      val open = Pair(lefts.open.bytes, versions.open.bytes)
      store.put(key, writer.head(nextLeft, nextVersion, chunks, open), isNew = !isStored)
      if (nextLeft != leftDue) nextLeft.foreach(dues.left.add(key, _))
      if (nextVersion != rightDue) nextVersion.foreach(dues.right.add(key, _))
    }
  }
}
