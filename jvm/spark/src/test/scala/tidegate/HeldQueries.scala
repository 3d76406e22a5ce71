package tidegate

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._

/** A query for each kind of Tidegate's own operators, which hold rows for a span of time. */
trait HeldQueries extends RestartTest {

  /** A query over one stream or two. */
  type Query = (DataFrame, DataFrame) => DataFrame

  /** By how much watermarks lag. */
  protected def lag: String

  /** How long windows, gaps of sessions and bounds of joins are. */
  protected def span: String

  protected def twoSpans: String

  /** Rows with the number 0 move time, and are nothing else. */
  protected def keyed(rows: DataFrame): DataFrame =
    rows.withKeyedWatermark("time", lag, substream = Seq("sub")).where("n > 0")

  protected def over(one: DataFrame => DataFrame): Query = (rows, _) => one(keyed(rows))

  private def joined(kind: String): Query = { (rows, others) =>
    val right = others
      .select(col("time").as("other"), col("n").as("m"), col("sub").as("from"))
      .withKeyedWatermark("other", lag, key = 1, substream = Seq("from"))
      .where("m > 0")
    keyed(rows).join(
      right,
      expr(s"n = m AND other BETWEEN time - INTERVAL $span AND time + INTERVAL $span"),
      kind
    )
  }

  protected def queriesOfOperators: Seq[(String, Query)] = Seq(
    "windows that do not overlap" -> over(_.groupBy(window(col("time"), span), col("n")).count()),
    "windows that slide" -> over(
      _.groupBy(window(col("time"), twoSpans, span), col("n")).count()
    ),
    "windows that grow" -> over { rows =>
      rows.createOrReplaceTempView("grow")
      spark.sql(
        "SELECT n, window_start, window_end, count(*) FROM CUMULATE(TABLE(grow), " +
          s"DESCRIPTOR(time), $span, $twoSpans) GROUP BY n, window_start, window_end"
      )
    },
    "sessions" -> over(_.groupBy(session_window(col("time"), span), col("n")).count()),
    "dropDuplicates" -> over(_.dropDuplicates("n", "time")),
    "dropDuplicatesWithinWatermark" -> over(_.dropDuplicatesWithinWatermark("n")),
    "event-time order" -> over(_.orderByEventTime().toDF()),
    "an inner join" -> joined("inner"),
    "a full outer join" -> joined("full_outer"),
    "a right outer join" -> joined("right_outer"),
    "a left semi join" -> joined("left_semi"),
    "a left anti join" -> joined("left_anti")
  )
}
