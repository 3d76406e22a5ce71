package tidegate.bench.join

import java.nio.file.{Files, Path}

import org.apache.commons.io.FileUtils
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, SparkSession}

/**
 * Orders and their deliveries as Parquet files in arrival order.
 *
 * One order in `ordersPerDelivery` is delivered, 0 to 12 s after it was placed, so about one
 * delivery in six comes too late for the join. Rows arrive less than two seconds after their event
 * time. Each stream ends with rows an hour later, one for every partition, because each partition
 * has its own watermark; their ids are negative and match nothing.
 */
private[join] final class OrderFiles private (spark: SparkSession, folder: Path) {

  /** Both streams, with two files of each in every batch. */
  def read(flush: Boolean): TwoStreams =
    TwoStreams(read("orders", "order_time", flush), read("deliveries", "delivery_time", flush))

  private def read(stream: String, eventTime: String, flush: Boolean): DataFrame =
    spark.readStream
      .schema("id BIGINT, part INT, time BIGINT")
      .option("maxFilesPerTrigger", 2)
      .parquet(folder.resolve(stream).toString)
      .where(if (flush) lit(true) else col("id") >= 0)
      .select(col("id"), col("part"), timestamp_millis(col("time")).as(eventTime))

  /** The folders of the orders and the deliveries, with the columns `id`, `part` and `time`. */
  def folders: Seq[Path] = Seq("orders", "deliveries").map(folder.resolve)

  def delete(): Unit = FileUtils.deleteDirectory(folder.toFile)
}

private[join] object OrderFiles {
  private val FileCount = 40
  private val RowsPerSecond = 5000L
  private val StartMs = 1700000000000L
  private val FlushMs = 3600000L
  private val Partitions = 8

  /** Writes `rows` rows, for both streams together. */
  def write(spark: SparkSession, rows: Long, ordersPerDelivery: Int): OrderFiles = {
    val folder = Files.createTempDirectory("bench-orders")
    println(s" writing $FileCount files of each stream, $ordersPerDelivery orders for a delivery")
    val orderCount = rows / (ordersPerDelivery + 1) * ordersPerDelivery
    val orders = spark
      .range(orderCount)
      .select(
        col("id"),
        (lit(StartMs) + expr(s"id * ${lengthMs(rows)} DIV $orderCount")).as("time")
      )
    val deliveries = orders
      .where(col("id") % ordersPerDelivery === 0)
      .withColumn("time", col("time") + random("delay", 12000))
    Seq("orders" -> orders, "deliveries" -> deliveries).foreach { case (name, events) =>
      writeStream(spark, folder.resolve(name), name, events, lengthMs(rows))
    }
    new OrderFiles(spark, folder)
  }

  private def lengthMs(rows: Long): Long = rows * 1000 / RowsPerSecond

  /**
   * Every file covers the same span of arrival time in both streams; the last file has no upper
   * limit.
   */
  private def writeStream(
      spark: SparkSession,
      target: Path,
      name: String,
      events: DataFrame,
      lengthMs: Long
  ): Unit = {
    val arriving = events
      .withColumn("part", random(s"$name part", Partitions).cast("int"))
      .withColumn("arrival", col("time") + col("part") * 100 + random(s"$name jitter", 1200))
    val flush = spark
      .range(Partitions)
      .select(
        lit(if (name == "orders") -1L else -2L).as("id"),
        lit(StartMs + lengthMs + FlushMs).as("time"),
        col("id").cast("int").as("part"),
        lit(StartMs + lengthMs + FlushMs).as("arrival")
      )
    val file = expr(s"LEAST((arrival - $StartMs) * $FileCount DIV $lengthMs, ${FileCount - 1})")
    val byFile = Files.createTempDirectory("bench-by-file")
    arriving
      .unionByName(flush)
      .withColumn("file", file)
      .repartition(2, col("file"))
      .sortWithinPartitions("file", "arrival")
      .select("id", "part", "time", "file")
      .write
      .mode("overwrite")
      .partitionBy("file")
      .parquet(byFile.toString)
    flatten(byFile, target)
  }

  /** A number below `limit` that depends only on the order and `purpose`. */
  private def random(purpose: String, limit: Int) =
    pmod(xxhash64(col("id"), lit(purpose)), lit(limit))

  /** Moves the files to one folder, with ascending names and modification times. */
  private def flatten(byFile: Path, target: Path): Unit = {
    Files.createDirectories(target)
    (0 until FileCount).foreach { i =>
      val parts =
        byFile.resolve(s"file=$i").toFile.listFiles().filter(_.getName.endsWith("parquet"))
      val file = target.resolve(f"$i%04d.parquet")
      Files.move(parts.head.toPath, file)
      file.toFile.setLastModified(StartMs + i * 1000L)
    }
    FileUtils.deleteDirectory(byFile.toFile)
  }
}
