package tidegate.bench.hop

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, DataFrame, SparkSession}
import tidegate._

/** One side of the comparison: each side has the same windows and keys, but its own watermark. */
private[hop] sealed abstract class Side(val name: String) {

  /** The closed windows: `window_end`, `key`, `n`, `total`, `mean`, `lo` and `hi`. */
  def windows(bids: DataFrame, windows: Windows): DataFrame
}

private[hop] object Side {
  val Delay = "2 seconds"

  /** Spark's watermark, which keeps Spark's own plan. */
  case object Spark extends Side("spark") {
    override def windows(bids: DataFrame, windows: Windows): DataFrame =
      grouped(bids.withWatermark("rt", Delay), windows)
  }

  /**
   * A keyed watermark. The whole stream is one substream: the row that closes the windows is in
   * only one part, and with a substream for each part the watermark would wait for the others.
   */
  case object Tidegate extends Side("tidegate") {
    override def windows(bids: DataFrame, windows: Windows): DataFrame =
      grouped(bids.withKeyedWatermark("rt", Delay, idleTimeout = null), windows)
  }

  /** The same query in SQL. */
  case object TidegateSql extends Side("tidegate-sql") {
    override def windows(bids: DataFrame, windows: Windows): DataFrame = {
      bids.createOrReplaceTempView("bids")
      inSql(
        bids.sparkSession,
        s"IMPOSE_ORDER(TABLE(bids), DESCRIPTOR(rt), INTERVAL $Delay, idle_timeout => NULL)",
        windows
      )
    }
  }

  private def grouped(bids: DataFrame, windows: Windows): DataFrame = windows match {
    case Windows.Tumbling(size) => aggregated(bids, window(col("rt"), s"$size seconds"))
    case Windows.Session(gap)   => aggregated(bids, session_window(col("rt"), s"$gap seconds"))
    case Windows.Sliding(size)  =>
      aggregated(bids, window(col("rt"), s"$size seconds", "1 second"))
    case _ =>
      bids.createOrReplaceTempView("bids")
      inSql(bids.sparkSession, "TABLE(bids)", windows)
  }

  private def aggregated(bids: DataFrame, windows: Column): DataFrame =
    bids
      .groupBy(windows.as("window"), col("key"))
      .agg(
        count(lit(1)).as("n"),
        sum("price").as("total"),
        avg("price").as("mean"),
        min("price").as("lo"),
        max("price").as("hi")
      )
      .selectExpr("window.end AS window_end", "key", "n", "total", "mean", "lo", "hi")

  private def inSql(spark: SparkSession, table: String, windows: Windows): DataFrame = {
    val call = windows match {
      case Windows.Tumbling(size) => s"TUMBLE($table, DESCRIPTOR(rt), INTERVAL $size SECONDS)"
      case Windows.Session(gap)   =>
        s"SESSION($table PARTITION BY key, DESCRIPTOR(rt), INTERVAL $gap SECONDS)"
      case Windows.Sliding(size) =>
        s"HOP($table, DESCRIPTOR(rt), INTERVAL $size SECONDS, INTERVAL 1 SECOND)"
      case Windows.Growing(step, size) =>
        s"CUMULATE($table, DESCRIPTOR(rt), INTERVAL $step SECONDS, INTERVAL $size SECONDS)"
    }
    spark.sql(s"""
      SELECT window_end, key, count(*) AS n, sum(price) AS total, avg(price) AS mean,
        min(price) AS lo, max(price) AS hi
      FROM $call GROUP BY window_start, window_end, key""")
  }

  /**
   * The values that must be equal on both sides.
   *
   * The last bits of a sum depend on the order of the rows. Prices have two decimals, so a sum, or
   * a mean times its count, is close to a multiple of 0.01: rounded to four decimals, it is the
   * same for every order. A mean itself may lie on the edge between two roundings.
   */
  def comparable(windows: DataFrame): DataFrame = {
    def rounded(sum: Column) = round(sum * 10000).cast("long")
    windows
      .where(col("key") =!= -1)
      .select(
        col("window_end"),
        col("key"),
        col("n"),
        rounded(col("total")).as("total"),
        rounded(col("mean") * col("n")).as("mean"),
        col("lo"),
        col("hi")
      )
  }
}
