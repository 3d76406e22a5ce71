package tidegate.builders

import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIfNeeded
import org.apache.spark.sql.expressions.Window
import org.apache.spark.sql.functions.{col, row_number}
import org.apache.spark.sql.{Column, DataFrame, Dataset}
import tidegate.errors.RefusalErrors

/** Keeps the first rows of groups, with Spark's function and a filter. */
private[tidegate] object TopN {

  /** Implements the method `topN` of a Dataset; see there. */
  def of(
      ds: Dataset[_],
      n: Int,
      partitionBy: Seq[String],
      orderBy: Seq[Column],
      rank: String
  ): DataFrame = {
    def refuse(argument: String, found: String, wanted: String) =
      throw RefusalErrors.topNArgument(argument, found, wanted)
    if (n < 1) refuse("n", n.toString, "a number of rows of 1 or more")
    if (partitionBy.isEmpty) refuse("partitionBy", "empty", "the columns of a group")
    if (orderBy.isEmpty) refuse("orderBy", "empty", "the columns that say which rows come first")
    if (ds.columns.exists(_.equalsIgnoreCase(rank)))
      refuse("rank", s"'$rank', which the input has", "the name of a new column")
    val window = Window.partitionBy(partitionBy.map(col): _*).orderBy(orderBy: _*)
    ds.withColumn(rank, row_number().over(window)).where(col(quoteIfNeeded(rank)) <= n)
  }
}
