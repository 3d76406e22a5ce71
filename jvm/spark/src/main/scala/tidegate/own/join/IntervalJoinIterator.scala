package tidegate.own.join

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BaseOrdering, UnsafeRow}
import tidegate.core.due.{DueEntry, DueKeys}

/**
 * Joins what a batch brings to one partition: key by key, because both sides come in the order of
 * their keys; then it looks at the keys whose time has come.
 *
 * Most keys have one or two rows: a state machine finds the next result, and allocates nothing per
 * key.
 *
 * @param order
 *   compares keys
 * @param upTo
 *   for each side the time in µs up to which, inclusive, rows find no partner any more
 */
private[join] final class IntervalJoinIterator(
    inputs: Sides[SideInput],
    order: BaseOrdering,
    join: KeyJoin,
    dues: Sides[DueKeys[UnsafeRow]],
    upTo: Sides[Long],
    alone: RowsAlone,
    sizes: JoinSizes
) extends Iterator[InternalRow] {
  import IntervalJoinIterator._

  private var state = BetweenKeys
  private var key: UnsafeRow = _
  private var entries: Iterator[DueEntry[UnsafeRow]] = Iterator.empty
  private var result: InternalRow = _

  override def hasNext: Boolean = {
    while (result == null && state != AllRead) {
      result = nextOfState()
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

  private def nextOfState(): InternalRow = state match {
    case BetweenKeys | InputRead => nextOther()
    case InKey                   =>
      val row = join.next()
      if (row != null) row else nextOther()
    case _ => join.next()
  }

  private def nextState(): Unit = state match {
    case BetweenKeys => nextKey()
    case InKey       => nextRows()
    case AtEndOfKey  => state = BetweenKeys
    case InputRead   => beginDue(isLeft = true)
    case LeftDue     => if (entries.hasNext) look(isLeft = true) else beginDue(isLeft = false)
    case _           => if (entries.hasNext) look(isLeft = false) else flush()
  }

  private def nextKey(): Unit = {
    val (hasLeft, hasRight) = (inputs.left.find(), inputs.right.find())
    // Else the others come out first.
    if (!hasFullOthers) {
      if (hasLeft || hasRight) {
        val isLeft =
          hasLeft && (!hasRight || order.compare(inputs.left.key, inputs.right.key) <= 0)
        key = inputs.of(isLeft).key.copy()
        join.begin(key)
        state = InKey
        nextRows()
      } else state = InputRead
    }
  }

  /** Takes more rows of the key, as many as may be in memory at once. */
  private def nextRows(): Unit = {
    val rows = join.rows
    if (join.isCrowded && (isOfKey(inputs.left) || isOfKey(inputs.right))) join.seal()
    val (lefts, rights, bytes) = (rows.left.size, rows.right.size, rows.byteSize)
    take(inputs.left, rows.left, lefts + rights, bytes)
    take(inputs.right, rows.right, lefts + rights, bytes)
    if (rows.size > lefts + rights) join.beginPairs(lefts, rights)
    else if (!hasFullOthers) {
      join.beginEnd()
      state = AtEndOfKey
    }
  }

  private def take(from: SideInput, to: SideRows, before: Int, bytesBefore: Long): Unit = {
    val rows = join.rows
    while (
      rows.size - before < sizes.rowsAtOnce && rows.byteSize - bytesBefore < sizes.bytesAtOnce &&
      isOfKey(from)
    ) from.take(to)
  }

  /** Whether a side has one more row of the key. */
  private def isOfKey(from: SideInput): Boolean =
    from.find() && order.compare(from.key, key) == 0

  private def hasFullOthers: Boolean = inputs.left.isFull || inputs.right.isFull

  /** The next row that has no partner for reasons of its own. */
  private def nextOther(): InternalRow =
    if (inputs.left.takeOther(alone.left)) alone.ofLeft
    else if (inputs.right.takeOther(alone.right)) alone.ofRight
    else null

  private def beginDue(isLeft: Boolean): Unit = {
    state = if (isLeft) LeftDue else RightDue
    val limit = upTo.of(isLeft)
    entries = if (limit == Long.MinValue) Iterator.empty else dues.of(isLeft).takeUpTo(limit)
  }

  private def look(isLeft: Boolean): Unit = {
    val entry = entries.next()
    join.beginLook(entry.key, isLeft, entry.due)
  }

  /** The results of the last key are out. */
  private def flush(): Unit = {
    dues.left.flush()
    dues.right.flush()
    state = AllRead
  }
}

private object IntervalJoinIterator {
  private final val BetweenKeys = 0
  private final val InKey = 1
  private final val AtEndOfKey = 2

  /** The others that were passed behind the last key are to come out. */
  private final val InputRead = 3

  private final val LeftDue = 4
  private final val RightDue = 5
  private final val AllRead = 6
}
