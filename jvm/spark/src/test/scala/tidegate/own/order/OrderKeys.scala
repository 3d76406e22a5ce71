package tidegate.own.order

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** Keys of the state, for tests of other packages. */
object OrderKeys {

  /** The next key of a batch, for each time. */
  def apply(batchId: Long): Long => UnsafeRow = {
    val key = new ArrivalKey(batchId)
    key.next(_).copy()
  }

  def micros(key: UnsafeRow): Long = ArrivalKey.micros(key)

  /** The keys, sorted as arrivals, and made of these again. */
  def sorted(keys: Seq[UnsafeRow]): Seq[UnsafeRow] = {
    val key = new ArrivalKey(0)
    keys.map(ArrivalKey.arrival).sorted.map(key.of(_).copy())
  }
}
