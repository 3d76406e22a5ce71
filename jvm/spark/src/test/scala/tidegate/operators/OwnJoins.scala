package tidegate
package operators

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.{DataFrame, SparkSession}
import tidegate.own.join.IntervalJoin

/** What waits in the state of Tidegate's own joins. */
object OwnJoins {

  /**
   * How many rows of streams wait in the state; a join of ours has several in a row of the store.
   */
  def heldRows(query: StreamingQuery, checkpoint: String): Long = {
    val others =
      query.lastProgress.stateOperators.filterNot(_.operatorName == IntervalJoin.StateName)
    val ours =
      for (id <- idsIn(query.sparkSession, checkpoint); side <- Seq("left", "right"))
        yield rows(query.sparkSession, checkpoint, id, side).count()
    others.map(_.numRowsTotal).sum + ours.sum
  }

  /** The rows of one side in the first join of ours in a checkpoint, by Spark's reader. */
  def rows(spark: SparkSession, checkpoint: String, side: String): DataFrame =
    rows(spark, checkpoint, idsIn(spark, checkpoint).min, side)

  private def rows(spark: SparkSession, checkpoint: String, id: Long, side: String): DataFrame =
    stateRows(spark, checkpoint, id).select(explode(col(s"value.$side")).as("row")).select("row.*")

  /** The rows of the state of the first join of ours in a checkpoint. */
  def stateRows(spark: SparkSession, checkpoint: String): DataFrame =
    stateRows(spark, checkpoint, idsIn(spark, checkpoint).min)

  private def stateRows(spark: SparkSession, checkpoint: String, id: Long): DataFrame =
    spark.read
      .format("statestore")
      .option("operatorId", id)
      .option("flattenCollectionTypes", false)
      .load(checkpoint)

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
