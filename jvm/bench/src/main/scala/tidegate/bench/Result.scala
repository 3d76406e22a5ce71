package tidegate.bench

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._

/**
 * The number of rows and the sum of their hashes, which do not depend on the order of the rows or
 * on batches.
 */
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
