package tidegate.bench

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._

/** Rows, and a sum over their hashes: equal whatever the order and the batches of the rows. */
private[bench] final case class Result(rows: Long, hashes: Long) {
  def +(other: Result): Result = Result(rows + other.rows, hashes + other.hashes)
}

private[bench] object Result {
  val Empty: Result = Result(0, 0)

  def of(rows: DataFrame): Result = {
    val hash = xxhash64(rows.columns.toSeq.map(col): _*) % Int.MaxValue
    val sums = rows.agg(count(lit(1)), coalesce(sum(hash), lit(0L))).head()
    Result(sums.getLong(0), sums.getLong(1))
  }
}
