package tidegate
package execution

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQueryProgress

/**
 * What a batch reads of a state that holds many keys, as RocksDB counts it: the keys of its rows
 * and those that are due, and no others.
 */
class HeldStateSuite extends RestartTest {

  private type Query = (DataFrame, DataFrame) => DataFrame

  private def keyed(rows: DataFrame): DataFrame = rows.withKeyedWatermark("time", "1 hour")

  private def joined(kind: String): Query = { (rows, others) =>
    val right = others
      .select(col("time").as("other"), col("n").as("m"))
      .withKeyedWatermark("other", "1 hour", key = 1)
    keyed(rows).join(
      right,
      expr("n = m AND other BETWEEN time - INTERVAL 1 HOUR AND time + INTERVAL 1 HOUR"),
      kind
    )
  }

  private def over(one: DataFrame => DataFrame): Query = (rows, _) => one(keyed(rows))

  private val queries: Seq[(String, Query)] = Seq(
    "windows that do not overlap" -> over(
      _.groupBy(window(col("time"), "1 hour"), col("n")).count()
    ),
    "windows that slide" -> over(
      _.groupBy(window(col("time"), "2 hours", "1 hour"), col("n")).count()
    ),
    "windows that grow" -> over { rows =>
      rows.createOrReplaceTempView("grow")
      spark.sql(
        "SELECT n, window_start, window_end, count(*) FROM CUMULATE(TABLE(grow), " +
          "DESCRIPTOR(time), 1 hour, 2 hours) GROUP BY n, window_start, window_end"
      )
    },
    "sessions" -> over(_.groupBy(session_window(col("time"), "1 hour"), col("n")).count()),
    "dropDuplicates" -> over(_.dropDuplicates("n", "time")),
    "dropDuplicatesWithinWatermark" -> over(_.dropDuplicatesWithinWatermark("n")),
    "event-time order" -> over(_.orderByEventTime(Seq("n")).toDF()),
    "an inner join" -> joined("inner"),
    "a full outer join" -> joined("full_outer"),
    "a left semi join" -> joined("left_semi"),
    "a left anti join" -> joined("left_anti")
  )

  /** Look-ups, and bytes that were read in the order of the keys. */
  private def read(progress: StreamingQueryProgress): (Long, Long) = {
    val metrics = progress.stateOperators.toSeq.map(_.customMetrics.asScala)
    def sum(name: String) = metrics.map(_(name).longValue).sum
    (sum("rocksdbGetCount"), sum("rocksdbTotalBytesReadThroughIterator"))
  }

  /** What small batches read of a state that holds so many keys; the last one is of a new run. */
  private def read(query: Query, keys: Int): Seq[Seq[(Long, Long)]] = {
    val (in, others) = (events(), events())
    val run = new Run(query(in.toDF(), others.toDF())).start()
    // The watermark stays an hour behind them.
    val held = (1 to keys).map(event("a", 7200, _))
    in.addData(held)
    others.addData(held)
    run.settle()
    val found = for (second <- Seq(7201, 7202, 7203)) yield {
      if (second == 7203) run.restart()
      val before = run.query.recentProgress.length
      val row = event("a", second.toDouble, 7)
      in.addData(row)
      others.addData(row)
      run.settle()
      run.query.recentProgress.toSeq.drop(before).filter(_.stateOperators.nonEmpty).map(read)
    }
    assert(run.stateRows >= keys)
    run.stop()
    found
  }

  for ((title, query) <- queries)
    onRocksDb(s"$title: a small batch does not look at what is held") {
      val few = read(query, 600)
      assert(few.forall(_.nonEmpty))
      assert(read(query, 2400) === few)
    }
}
