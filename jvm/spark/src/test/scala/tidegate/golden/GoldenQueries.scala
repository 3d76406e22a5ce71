package tidegate
package golden

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, DataFrame}
import tidegate.builders.Between
import tidegate.operators.{BufferByTimer, SilenceByState}

/**
 * One query for each stateful operator. A query that has a checkpoint must not be changed: give the
 * changed one another name.
 */
object GoldenQueries {
  private val stateStore = "spark.sql.streaming.stateStore"
  private val join = "spark.sql.streaming.join"

  private def provider(store: String) =
    s"$stateStore.providerClass" ->
      s"org.apache.spark.sql.execution.streaming.state.${store}StateStoreProvider"

  private val hdfs = Map(provider("HDFSBacked"))

  /** In RocksDB, where a checkpoint with all files of each version is larger. */
  private val rocks =
    Map(provider("RocksDB"), s"$stateStore.rocksdb.changelogCheckpointing.enabled" -> "true")

  private val snapshots =
    Map(provider("RocksDB"), s"$stateStore.rocksdb.changelogCheckpointing.enabled" -> "false")

  private val storeFormat2 = rocks + (s"$stateStore.checkpointFormatVersion" -> "2")

  private def joinFormat(format: Int) = Map(
    s"$join.stateFormatVersion" -> format.toString,
    s"$join.stateFormatV4.enabled" -> (format == 4).toString
  )

  private def keyed(events: DataFrame, time: String = "time", key: Int = 0, name: String = null) =
    events.withKeyedWatermark(
      time,
      "2 seconds",
      key = key,
      substream = Seq("sub"),
      idleTimeout = "1 minute",
      name = name
    )

  private def orders(events: DataFrame): DataFrame =
    keyed(events.select(col("n").as("id"), col("time").as("order_time"), col("sub")), "order_time")

  private def deliveries(events: DataFrame): DataFrame = keyed(
    events.select(col("n").as("id"), col("time").as("delivery_time"), col("sub")),
    "delivery_time",
    key = 1
  )

  private def joined(how: String)(left: DataFrame, right: DataFrame): DataFrame =
    orders(left).streamJoin(
      deliveries(right),
      Seq("id"),
      how,
      Between("delivery_time", "order_time", "0 seconds", "5 seconds")
    )

  private def versioned(left: DataFrame, right: DataFrame): DataFrame = {
    val versions = keyed(right).select(col("sub"), col("time").as("since"), col("n").as("version"))
    keyed(left).asOfJoin(versions, Seq("sub"), how = "left")
  }

  private def counted(events: DataFrame, time: Column): DataFrame =
    keyed(events).groupBy(col("sub"), time).agg(count("*"), sum("n"))

  private val hops = window(col("time"), "20 seconds", "5 seconds")

  /** So many rows that their frames do not fit into the head of a key. */
  private def manyFrames(events: DataFrame): DataFrame = {
    val many = events.select(
      col("sub"),
      (col("time") + expr("make_dt_interval(0, 0, 0, i / 10)")).as("time"),
      col("n")
    )
    keyed(many).groupBy(window(col("time"), "30 seconds", "200 milliseconds")).agg(sum("n"))
  }

  private def growing(events: DataFrame): DataFrame = {
    keyed(events).createOrReplaceTempView("golden")
    events.sparkSession.sql(
      """SELECT window_start, window_end, count(*), sum(n)
        FROM CUMULATE(golden, DESCRIPTOR(time), INTERVAL 5 SECONDS, INTERVAL 15 SECONDS)
        GROUP BY window_start, window_end"""
    )
  }

  private def united(left: DataFrame, right: DataFrame): DataFrame =
    keyed(left, name = "l")
      .union(keyed(right, name = "r"))
      .groupBy(window(col("time"), "10 seconds"))
      .agg(count("*"), sum("n"))

  private def rolling(events: DataFrame): DataFrame = keyed(events).selectExpr(
    "sub",
    "n",
    "sum(n) OVER (PARTITION BY sub ORDER BY time RANGE INTERVAL 8 SECONDS PRECEDING)",
    "count(*) OVER (PARTITION BY sub ORDER BY time)",
    "max(n) OVER (PARTITION BY n % 2 ORDER BY time)"
  )

  private def overWindows(events: DataFrame): DataFrame =
    counted(events, window(col("time"), "5 seconds"))
      .groupBy(window(window_time(col("window")), "20 seconds"))
      .agg(count("*"), sum("sum(n)"))

  private def overJoin(left: DataFrame, right: DataFrame): DataFrame =
    joined("leftOuter")(left, right)
      .groupBy(window(col("order_time"), "10 seconds"))
      .agg(count("*"), count("delivery_time"))

  val all: Seq[GoldenQuery] = Seq(
    GoldenQuery("tumble", hdfs)((in, _) => counted(in, window(col("time"), "10 seconds"))),
    GoldenQuery("tumble-rocksdb", rocks)((in, _) => counted(in, window(col("time"), "10 seconds"))),
    GoldenQuery("hop", hdfs)((in, _) => counted(in, hops)),
    GoldenQuery("hop-rocksdb", rocks)((in, _) => counted(in, hops)),
    GoldenQuery("hop-rocksdb-snapshots", snapshots)((in, _) => counted(in, hops)),
    GoldenQuery("hop-rocksdb-store-2", storeFormat2)((in, _) => counted(in, hops)),
    GoldenQuery("hop-chunks", rocks)((in, _) =>
      manyFrames(in.withColumn("i", explode(sequence(lit(0), lit(99)))))
    ),
    GoldenQuery("session", hdfs)((in, _) => counted(in, session_window(col("time"), "6 seconds"))),
    GoldenQuery("session-rocksdb", rocks)((in, _) =>
      counted(in, session_window(col("time"), "6 seconds"))
    ),
    GoldenQuery("cumulate", hdfs)((in, _) => growing(in)),
    GoldenQuery("cumulate-rocksdb", rocks)((in, _) => growing(in)),
    GoldenQuery("join-inner-2", hdfs ++ joinFormat(2))(joined("inner")),
    GoldenQuery("join-inner-2-rocksdb", rocks ++ joinFormat(2))(joined("inner")),
    GoldenQuery("join-left-2", hdfs ++ joinFormat(2))(joined("leftOuter")),
    GoldenQuery("join-left-2-rocksdb", rocks ++ joinFormat(2))(joined("leftOuter")),
    GoldenQuery("join-left-3", rocks ++ joinFormat(3))(joined("leftOuter")),
    GoldenQuery("join-full-2", hdfs ++ joinFormat(2))(joined("fullOuter")),
    GoldenQuery("join-full-4", rocks ++ joinFormat(4))(joined("fullOuter")),
    GoldenQuery("join-semi-2", rocks ++ joinFormat(2))(joined("leftSemi")),
    GoldenQuery("join-semi-2-hdfs", hdfs ++ joinFormat(2))(joined("leftSemi")),
    GoldenQuery("join-right-2", hdfs ++ joinFormat(2))(joined("rightOuter")),
    GoldenQuery("join-right-2-rocksdb", rocks ++ joinFormat(2))(joined("rightOuter")),
    GoldenQuery("join-right", hdfs)(joined("rightOuter")),
    GoldenQuery("join-anti", rocks)(joined("leftAnti")),
    GoldenQuery("as-of", hdfs)(versioned),
    GoldenQuery("as-of-rocksdb", rocks)(versioned),
    GoldenQuery("deduplicate", hdfs)((in, _) => keyed(in).dropDuplicates("sub", "time")),
    GoldenQuery("deduplicate-within-watermark", rocks)((in, _) =>
      keyed(in).dropDuplicatesWithinWatermark("n")
    ),
    GoldenQuery("deduplicate-rocksdb", rocks)((in, _) => keyed(in).dropDuplicates("sub", "time")),
    GoldenQuery("deduplicate-within-watermark-hdfs", hdfs)((in, _) =>
      keyed(in).dropDuplicatesWithinWatermark("n")
    ),
    GoldenQuery("union", hdfs)(united),
    GoldenQuery("union-rocksdb", rocks)(united),
    GoldenQuery("order", hdfs, isOrdered = true)((in, _) => keyed(in).orderByEventTime(Seq("sub"))),
    GoldenQuery("order-rocksdb", rocks, isOrdered = true)((in, _) => keyed(in).orderByEventTime()),
    GoldenQuery("over", hdfs)((in, _) => rolling(in)),
    GoldenQuery("over-rocksdb", rocks)((in, _) => rolling(in)),
    GoldenQuery("window-over-window", rocks)((in, _) => overWindows(in)),
    GoldenQuery("window-over-window-hdfs", hdfs)((in, _) => overWindows(in)),
    GoldenQuery("window-over-join", rocks ++ joinFormat(2))(overJoin),
    GoldenQuery("window-over-join-hdfs", hdfs ++ joinFormat(2))(overJoin),
    GoldenQuery("flat-map-groups-with-state", hdfs)((in, _) => SilenceByState(keyed(in))),
    GoldenQuery("transform-with-state", rocks)((in, _) => BufferByTimer(keyed(in))),
    GoldenQuery("limit", hdfs)((in, _) => keyed(in).limit(14))
  )
}
