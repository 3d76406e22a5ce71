package tidegate
package preparation

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.{AnalysisException, DataFrame}

/** Checkpoints of queries with keyed watermarks, from which another query starts. */
class KeyedCheckpointSuite extends RestartTest {

  private val folder = files(Seq(event("a", 5)))

  private def in: DataFrame = stream(folder)

  private def keyed: DataFrame = in.withKeyedWatermark("time", "1 second")

  private def counts(df: DataFrame): DataFrame =
    df.groupBy(window(col("time"), "10 seconds")).count()

  private def run(df: DataFrame, checkpoint: String): Unit =
    df.writeStream
      .format("noop")
      .option("checkpointLocation", checkpoint)
      .trigger(Trigger.AvailableNow())
      .start()
      .awaitTermination()

  private def refused(first: DataFrame, second: DataFrame): String = {
    val checkpoint = TempFolders.create("keyed-checkpoint").toString
    run(first, checkpoint)
    intercept[AnalysisException](run(second, checkpoint)).getMessage
      .replace(s"file:$checkpoint", "CHECKPOINT")
  }

  test("a query without keyed watermarks is told what the checkpoint is of") {
    for (other <- Seq(counts(in.withWatermark("time", "1 second")), in))
      assert(
        refused(counts(keyed), other) ===
          "[TIDEGATE_CHECKPOINT_OF_KEYED] The checkpoint CHECKPOINT is of a query with keyed " +
          "watermarks, and this query has none. Call withKeyedWatermark as before; or give the " +
          "checkpoint back to Spark first, with tidegate.release; or start with a new checkpoint. " +
          "SQLSTATE: 55000"
      )
  }

  test("a join that is gone, and another operator in its place") {
    val others = in
      .select(col("n").as("m"), col("time").as("later"))
      .withKeyedWatermark("later", "1 second", key = 1)
    val joined =
      keyed.join(others, expr("n = m AND later BETWEEN time AND time + INTERVAL 1 MINUTE"))
    assert(
      refused(joined, keyed.union(keyed).dropDuplicates("n", "time")) ===
        "[TIDEGATE_STATE_REFUSED] The checkpoint has the state of an operator that is gone: " +
        "the rows of an interval join. But the query has no join of streams there, but " +
        "`deduplicate`. Start the query as it was, or with a new checkpoint; nothing in this one " +
        "was changed. SQLSTATE: 42K03"
    )
  }
}
