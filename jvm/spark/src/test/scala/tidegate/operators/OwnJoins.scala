package tidegate
package operators

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.{Column, DataFrame, SparkSession}
import org.scalatest.{Outcome, TestSuite}
import tidegate.plans.IntervalJoin

/** Runs the tests of a suite with Tidegate's own joins, where a test does not say otherwise. */
trait OwnJoins extends TestSuite { self: KeyedStreamTest =>

  abstract override protected def withFixture(test: NoArgTest): Outcome =
    withConf("spark.tidegate.join.interval" -> "true")(super.withFixture(test))
}

object OwnJoins {

  /** How many rows of streams wait in the state; a join of ours has several in a row of the store. */
  def heldRows(query: StreamingQuery, checkpoint: String): Long = {
    val others = query.lastProgress.stateOperators.filterNot(_.operatorName == IntervalJoin.StateName)
    others.map(_.numRowsTotal).sum +
      Seq("left", "right").map(rows(query.sparkSession, checkpoint, _).count()).sum
  }

  /** The rows of one side in the joins of ours in a checkpoint, by Spark's reader. */
  def rows(spark: SparkSession, checkpoint: String, side: String): DataFrame = {
    val ids = idsIn(spark, checkpoint)
    val held: Column = explode(col(s"value.$side")).as("row")
    ids
      .map(id =>
        spark.read
          .format("statestore")
          .option("operatorId", id)
          .option("flattenCollectionTypes", false)
          .load(checkpoint)
          .select(held)
          .select("row.*")
      )
      .reduceOption(_.union(_))
      .getOrElse(spark.emptyDataFrame)
  }

  /** The numbers of the joins of ours in a checkpoint. */
  def idsIn(spark: SparkSession, checkpoint: String): Seq[Long] = spark.read
    .format("state-metadata")
    .load(checkpoint)
    .where(col("operatorName") === IntervalJoin.StateName)
    .select("operatorId")
    .distinct()
    .collect()
    .map(_.getLong(0))
    .toSeq
}
