package tidegate
package execution

import scala.collection.mutable

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{OutputMode, Trigger}
import org.apache.spark.sql.tidegate.{TestClock, TestQueries}
import org.apache.spark.sql.{DataFrame, Dataset, Row}

/**
 * `persist` in `foreachBatch`, as Spark's guide advises it for several actions. Spark renames the
 * columns of a cached plan, also in the order and the partitioning that our nodes report.
 */
class PersistedBatchSuite extends RestartTest {

  override protected def atNight: Seq[String] = Seq(
    "under other names",
    "without its time",
    "windows from frames",
    "order of windows",
    "sessions",
    "deduplication",
    "order of each key"
  )

  private val sent = Seq(
    Seq(event("a", 3, 1), event("b", 1, 2), event("a", 5, 3)),
    Seq(event("b", 12, 4), event("a", 11, 5)),
    Seq(event("a", 40, 6), event("b", 40, 7))
  )

  private def keyed(rows: DataFrame): DataFrame = rows.withKeyedWatermark("time", "0 seconds")

  private val queries = Seq[(String, DataFrame => DataFrame)](
    "event-time order" -> (keyed(_).orderByEventTime()),
    "event-time order of each key" -> (keyed(_).orderByEventTime(Seq("sub"))),
    "event-time order without its time" -> (keyed(_).orderByEventTime().select("n", "sub")),
    "event-time order under other names" ->
      (keyed(_).orderByEventTime().select(col("time").as("at"), col("n"))),
    "event-time order of windows" -> { rows =>
      keyed(rows)
        .groupBy(window(col("time"), "10 seconds"), col("sub"))
        .agg(sum("n").as("n"))
        .orderByEventTime()
    },
    "windows" -> (keyed(_).groupBy(window(col("time"), "10 seconds"), col("sub")).count()),
    "windows from frames" ->
      (keyed(_).groupBy(window(col("time"), "20 seconds", "10 seconds"), col("sub")).count()),
    "sessions" -> (keyed(_).groupBy(session_window(col("time"), "3 seconds"), col("sub")).count()),
    "deduplication" -> (keyed(_).dropDuplicates("sub", "time")),
    "a join" -> { rows =>
      val other = rows
        .select(col("sub"), col("time").as("at"), col("n").as("m"))
        .withKeyedWatermark("at", "0 seconds", key = 1)
      keyed(rows)
        .streamJoin(other, Seq("sub"), "inner", Between("time", "at", "0 seconds", "5 seconds"))
    },
    "a watermark alone" -> keyed
  )

  private def read(df: DataFrame)(use: Dataset[Row] => Seq[Row]): Seq[String] = {
    val rows = mutable.Buffer.empty[Row]
    TestQueries
      .start(
        df,
        newCheckpoint().toString,
        OutputMode.Append(),
        Trigger.AvailableNow(),
        new TestClock(1000000000L)
      )((batch, _) => rows ++= use(batch))
      .awaitTermination()
    rows.map(KeyedStreamTest.text).toSeq
  }

  /** Several actions, also on columns with new ids, of which the last gives the rows. */
  private def persisted(batch: Dataset[Row]): Seq[Row] = {
    batch.persist()
    val n = batch.count()
    val name = batch.columns.last
    assert(batch.as("x").join(batch.as("y"), name).count() >= n)
    assert(batch.union(batch).select(name).count() === 2 * n)
    batch.sort(name).collect()
    val rows = batch.collect().toSeq
    batch.unpersist()
    rows
  }

  for ((title, query) <- queries) test(title) {
    val folder = files(sent: _*)
    val direct = read(query(stream(folder)))(_.collect().toSeq)
    assert(direct.nonEmpty)
    assert(read(query(stream(folder)))(persisted).sorted === direct.sorted)
  }

  test("the order of a batch is still there when it is persisted") {
    val folder = files(sent: _*)
    val rows = read(keyed(stream(folder)).orderByEventTime())(persisted)
    assert(rows === Seq("b|1|2", "a|3|1", "a|5|3", "a|11|5", "b|12|4"))
  }
}
