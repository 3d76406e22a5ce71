package tidegate.execution.join

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BaseOrdering, JoinedRow, UnsafeRow}
import tidegate.core.due.DueKeys

/**
 * Joins what a batch brings to one partition: key by key, because both sides come in the order of
 * their keys; then it looks at the keys whose time has come.
 *
 * @param order
 *   compares keys
 * @param isEmitted
 *   whether rows of a side come out that have no partner
 */
private[join] final class IntervalJoinIterator(
    inputs: Sides[SideInput],
    order: BaseOrdering,
    join: KeyJoin,
    dues: Sides[DueKeys[UnsafeRow]],
    upTo: Sides[Long],
    fields: Sides[Int],
    sizes: JoinSizes
) extends Iterator[InternalRow] {
  import IntervalJoinIterator._

  private var current: Iterator[InternalRow] = Iterator.empty
  private var isInputRead = false
  private var isAllRead = false
  private val joined = new JoinedRow
  private val row = Sides(new UnsafeRow(fields.left), new UnsafeRow(fields.right))
  private val nulls = Sides(JoinRules.nulls(fields.left), JoinRules.nulls(fields.right))

  override def hasNext: Boolean = {
    while (!current.hasNext && !isAllRead) goOn()
    current.hasNext
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("there are no more rows")
    current.next()
  }

  private def goOn(): Unit =
    if (!isInputRead) nextKey()
    else {
      // The results of the last key are out.
      dues.left.flush()
      dues.right.flush()
      isAllRead = true
    }

  private def nextKey(): Unit = {
    val (hasLeft, hasRight) = (inputs.left.find(), inputs.right.find())
    if (inputs.left.isFull || inputs.right.isFull) current = others()
    else if (hasLeft || hasRight) {
      val isLeft =
        hasLeft && (!hasRight || order.compare(inputs.left.key, inputs.right.key) <= 0)
      val key = inputs.of(isLeft).key.copy()
      join.begin(key)
      current = Iterator
        .continually(nextRows(key))
        .takeWhile(_.exists)
        .flatMap(news => join.pairs(news.lefts, news.rights) ++ others()) ++ join.end()
    } else {
      isInputRead = true
      current = others() ++ due(isLeft = true) ++ due(isLeft = false)
    }
  }

  /** Takes more rows of a key, as many as may be in memory at once. */
  private def nextRows(key: UnsafeRow): NewRows = {
    val (left, right) = (join.rows.left, join.rows.right)
    val (lefts, rights, bytes) = (left.size, right.size, join.rows.byteSize)
    def isFull = join.rows.size - lefts - rights >= sizes.rowsAtOnce ||
      join.rows.byteSize - bytes >= sizes.bytesAtOnce
    def take(from: SideInput, to: SideRows): Unit =
      while (!isFull && from.find() && order.compare(from.key, key) == 0) from.take(to)
    take(inputs.left, left)
    take(inputs.right, right)
    NewRows(
      lefts,
      rights,
      left.size > lefts || right.size > rights || inputs.left.isFull || inputs.right.isFull
    )
  }

  /** The rows that have no partner for reasons of their own. */
  private def others(): Iterator[InternalRow] = others(isLeft = true) ++ others(isLeft = false)

  private def others(isLeft: Boolean): Iterator[InternalRow] = {
    val rows = inputs.of(isLeft).others
    val all = (0 until rows.size).iterator.map { i =>
      rows.point(i, row.of(isLeft))
      if (isLeft) joined(row.left, nulls.right) else joined(nulls.left, row.right): InternalRow
    }
    all ++ { rows.clear(); Iterator.empty }
  }

  private def due(isLeft: Boolean): Iterator[InternalRow] =
    if (upTo.of(isLeft) == Long.MinValue) Iterator.empty
    else
      dues.of(isLeft).takeUpTo(upTo.of(isLeft)).flatMap { entry =>
        join.look(entry.key, isLeft, entry.due)
      }
}

private object IntervalJoinIterator {

  /**
   * Rows that were added to those of a key.
   *
   * @param lefts
   *   how many left rows there were before
   * @param exists
   *   whether anything was added or has to be emptied
   */
  private final case class NewRows(lefts: Int, rights: Int, exists: Boolean)
}
