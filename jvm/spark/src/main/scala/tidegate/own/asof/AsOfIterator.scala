package tidegate.own.asof

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  BaseOrdering,
  GenericInternalRow,
  JoinedRow,
  UnsafeRow
}
import tidegate.core.Saturating
import tidegate.core.due.{DueEntry, DueKeys}

/**
 * What a batch brings to one partition of an as-of join: first key by key, because both sides come
 * in the order of their keys; then the keys whose left rows are decided; then those whose versions
 * are no longer needed.
 *
 * All versions of a key come before its left rows are decided.
 *
 * @param order
 *   compares keys
 * @param isPair
 *   what else must be true of a row and its version
 * @param isOuter
 *   whether rows without a version come out
 */
private[asof] final class AsOfIterator(
    inputs: Pair[AsOfInput],
    order: BaseOrdering,
    key: KeyAsOf,
    dues: Pair[DueKeys[UnsafeRow]],
    limits: AsOfLimits,
    tolerance: Option[Long],
    isPair: InternalRow => Boolean,
    isOuter: Boolean,
    fields: Pair[Int],
    sizes: AsOfSizes
) extends Iterator[InternalRow] {
  import AsOfIterator._

  private var state = BetweenKeys
  private var current: UnsafeRow = _
  private var entries: Iterator[DueEntry[UnsafeRow]] = Iterator.empty
  private var result: InternalRow = _

  /** Left rows of the key that are decided. */
  private val decided = new TimedRows
  private var at = 0

  /** Left rows without a time, or with a NULL in their keys. */
  private val others = new TimedRows
  private var otherAt = 0
  private val leftRow = new UnsafeRow(fields.left)
  private val version = new UnsafeRow(fields.right)
  private val pair = new JoinedRow(leftRow, version)
  private val alone = new JoinedRow(leftRow, new GenericInternalRow(fields.right))

  override def hasNext: Boolean = {
    while (result == null && state != AllRead) {
      result = answer()
      if (result == null) nextState()
    }
    result != null
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("there are no more rows")
    val row = result
    result = null
    row
  }

  /** The next of the rows that are decided; null if there are no more. */
  private def answer(): InternalRow =
    if (otherAt < others.size) {
      others.point(otherAt, leftRow)
      otherAt += 1
      alone
    } else {
      others.clear()
      otherAt = 0
      var found: InternalRow = null
      while (found == null && at < decided.size) {
        decided.point(at, leftRow)
        if (isFound(decided.time(at)) && isPair(pair)) found = pair
        else if (isOuter) found = alone
        at += 1
      }
      if (found == null) {
        decided.clear()
        at = 0
      }
      found
    }

  private def isFound(time: Long): Boolean = key.versions.find(time, version) &&
    tolerance.forall(t => key.versions.foundTime >= Saturating.subtract(time, t))

  private def nextState(): Unit = state match {
    case BetweenKeys => nextKey()
    case InKey       => nextRows()
    case LeftDue     => nextDue()
    case OfDue       => nextOfDue()
    case _           => endOfVersions()
  }

  private def nextKey(): Unit = {
    val (hasLeft, hasRight) = (inputs.left.find(), inputs.right.find())
    if (hasLeft && !inputs.left.mayPair) {
      takeOther()
    } else if (hasRight && !inputs.right.mayPair) inputs.right.take()
    else if (hasLeft || hasRight) {
      val isLeft = hasLeft && (!hasRight || order.compare(inputs.left.key, inputs.right.key) <= 0)
      current = (if (isLeft) inputs.left else inputs.right).key.copy()
      key.begin(current)
      takeVersions()
      state = InKey
    } else {
      state = LeftDue
      entries = entriesUpTo(dues.left, limits.decided)
    }
  }

  private def takeVersions(): Unit = {
    while (isOfKey(inputs.right)) {
      if (inputs.right.mayPair) key.versions.add(inputs.right.row, inputs.right.micros)
      inputs.right.take()
    }
    key.versions.sort()
  }

  /** Takes more left rows of the key, until as many are decided as may be in memory at once. */
  private def nextRows(): Unit = {
    val input = inputs.left
    var isMore = isOfKey(input)
    while (isMore) {
      if (!input.mayPair) takeOther()
      else {
        val time = input.micros
        if (isDecided(time)) decided.add(input.row, time) else key.lefts.add(input.row, time)
        input.take()
      }
      isMore = !isFull && isOfKey(input)
    }
    if (decided.size > 0) decided.sort(null)
    else if (others.size == 0) {
      key.end()
      state = BetweenKeys
    }
  }

  private def takeOther(): Unit = {
    if (isOuter) others.add(inputs.left.row, 0L)
    inputs.left.take()
  }

  private def isDecided(micros: Long): Boolean =
    limits.decided != Long.MinValue && micros <= limits.decided

  private def isFull: Boolean = isFull(decided) || isFull(others)

  private def isFull(rows: TimedRows): Boolean =
    rows.size >= sizes.rowsAtOnce || rows.byteSize >= sizes.bytesAtOnce

  /** Whether an input has one more row of the key. */
  private def isOfKey(input: AsOfInput): Boolean =
    input.find() && order.compare(input.key, current) == 0

  private def nextDue(): Unit =
    if (entries.hasNext) {
      val entry = entries.next()
      if (key.beginDue(entry.key, ofLeft = true, entry.due)) state = OfDue
    } else {
      state = VersionsDue
      entries = entriesUpTo(dues.right, limits.passed)
    }

  private def nextOfDue(): Unit = {
    key.lefts.takeUpTo(limits.decided, decided)
    if (decided.size > 0) decided.sort(null)
    else {
      key.end()
      state = LeftDue
    }
  }

  /** Ending with a key removes the versions that are no longer needed. */
  private def endOfVersions(): Unit = {
    entries.foreach(entry => if (key.beginDue(entry.key, ofLeft = false, entry.due)) key.end())
    dues.left.flush()
    dues.right.flush()
    state = AllRead
  }

  private def entriesUpTo(
      due: DueKeys[UnsafeRow],
      micros: Long
  ): Iterator[DueEntry[UnsafeRow]] =
    if (micros == Long.MinValue) Iterator.empty else due.takeUpTo(micros)
}

private object AsOfIterator {

  private final val BetweenKeys = 0
  private final val InKey = 1
  private final val LeftDue = 2

  /** Among the rows of a key that is due. */
  private final val OfDue = 3
  private final val VersionsDue = 4
  private final val AllRead = 5
}
