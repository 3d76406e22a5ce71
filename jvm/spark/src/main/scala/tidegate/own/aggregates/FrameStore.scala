package tidegate.own.aggregates

import scala.util.Try

import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.types.{IntegerType, StructType}
import tidegate.own.StateRows

/**
 * Keys of the state: they begin with a number, which says what kind of row it is ([[ByKey]],
 * [[ByWindow]]). One more row has the number of the others ([[tidegate.own.RowCount]]).
 */
private[tidegate] object FrameStore {

  /** The position of the number in a key. */
  val Number = 0

  /** No row has this number in its key. */
  val NoNumber: Int = -1

  /** The number in the key of the row that counts the others: no key has so many chunks. */
  private val Count: Int = Int.MaxValue

  /** The number in the key of the root of [[FarRows]]. */
  private val Root: Int = Int.MaxValue - 1

  /** All heads, in the same way as the rows of a state. */
  def heads(state: StateRows): Iterator[UnsafeRowPair] =
    if (state.findsByPrefix) state.withPrefix(headPrefix)
    else state.rows.filter(row => isHead(row.key))

  /** All rows but the one that counts the others. */
  def rows(state: StateRows): Iterator[UnsafeRowPair] =
    state.rows.filterNot(row => isCount(row.key))

  private lazy val headPrefix: UnsafeRow =
    UnsafeProjection.create(Seq(Literal(null, IntegerType))).apply(null)

  /** The first column of the keys with a number. */
  def prefix(number: Int): UnsafeRow = {
    val row = headPrefix.copy()
    row.setInt(Number, number)
    row
  }

  def isHead(key: UnsafeRow): Boolean = key.isNullAt(Number)

  /** Whether a key is that of a chunk, or of a row that is of no key. */
  def isChunk(key: UnsafeRow): Boolean = !isHead(key) && numberOf(key) >= 0

  /** Whether a key has the number of a window or of a bucket. */
  def hasNumber(key: UnsafeRow): Boolean = !isHead(key) && numberOf(key) < 0

  /** Whether a key is that of the row that counts the others. */
  def isCount(key: UnsafeRow): Boolean = !isHead(key) && numberOf(key) == Count

  /**
   * The key of the row that counts the others, in a state with these keys. It is the same whether a
   * column may have NULL in a batch or not.
   */
  def countKey(schema: StructType): UnsafeRow = key(Count, schema)

  /** The key of the root of [[FarRows]], in a state with these keys. */
  def rootKey(schema: StructType): UnsafeRow = key(Root, schema)

  private def key(number: Int, schema: StructType): UnsafeRow = {
    val columns = schema.tail.map(c => Try(Literal.default(c.dataType).value).getOrElse(null))
    val nullable = StructType(schema.map(_.copy(nullable = true)))
    UnsafeProjection.create(nullable).apply(InternalRow.fromSeq(number +: columns))
  }

  /** Of a row of the state as Spark's reader shows it: whether it does not count the others. */
  def isCounted: Column = col("key.chunk").isNull || col("key.chunk") =!= Count

  /** The number in a key that is not of a head. */
  def numberOf(key: UnsafeRow): Int = key.getInt(Number)

  def setNumber(key: UnsafeRow, number: Int): Unit = key.setInt(Number, number)

  def setHead(key: UnsafeRow): Unit = key.setNullAt(Number)

  /** The key of the head of a key. */
  def headKey(key: UnsafeRow): UnsafeRow = {
    val head = key.copy()
    setHead(head)
    head
  }

  /** The key with a number. */
  def numbered(key: UnsafeRow, number: Int): UnsafeRow = {
    val other = key.copy()
    setNumber(other, number)
    other
  }
}
