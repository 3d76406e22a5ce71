package tidegate.bench.watermark

import java.nio.file.{Files, Path}

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{StreamingQuery, Trigger}
import org.apache.spark.sql.{DataFrame, SparkSession}
import tidegate._
import tidegate.bench.Pairs

/** Counts in tumbling windows over files, with Spark's watermark and with a keyed one. */
private[watermark] object TumblingCount {
  private val Rows = 4000000L
  private val FileCount = 40
  private val FilesPerBatch = 2
  private val Substreams = 8
  private val Rounds = 5

  def run(spark: SparkSession): Unit = {
    println(
      s"Tumbling count over files ($Rows rows, ${FileCount / FilesPerBatch} data batches, " +
        s"10 s windows by 1,000 keys, $Rounds rounds)"
    )
    val folder = write(spark)
    var last = Map.empty[String, StreamingQuery]
    def side(name: String)(frame: DataFrame => DataFrame): () => Unit = () => {
      val query = counts(frame(read(spark, folder))).writeStream
        .format("noop")
        .trigger(Trigger.AvailableNow())
        .option("checkpointLocation", Files.createTempDirectory("bench").toString)
        .start()
      query.awaitTermination()
      last += name -> query
    }
    val times = Pairs.measure(Rounds)(
      side("withWatermark")(_.withWatermark("time", "2 seconds")),
      side("withKeyedWatermark")(
        _.withKeyedWatermark("time", "2 seconds", substream = Seq("sub"), idleTimeout = null)
      )
    )
    println(s" ratio: ${Pairs.ratios(times(0), times(1))}")
    last.foreach { case (name, query) =>
      val (data, empty) = query.recentProgress.partition(_.numInputRows > 0)
      println(
        f" $name: ${data.length} batches with data, ${empty.length} without " +
          f"(${empty.length.toDouble / data.length}%.2f for each)"
      )
    }
    check(spark, folder)
  }

  private def counts(df: DataFrame): DataFrame =
    df.groupBy(window(col("time"), "10 seconds"), col("key")).agg(count("*"), sum("n"))

  private def read(spark: SparkSession, folder: Path): DataFrame =
    spark.readStream
      .schema(spark.read.parquet(folder.toString).schema)
      .option("maxFilesPerTrigger", FilesPerBatch.toLong)
      .parquet(folder.toString)

  /** Prints what both sides emit for the closed windows, which must be the same. */
  private def check(spark: SparkSession, folder: Path): Unit = {
    def total(frame: DataFrame => DataFrame): (Long, Long) = {
      var (rows, events) = (0L, 0L)
      counts(frame(read(spark, folder))).writeStream
        .trigger(Trigger.AvailableNow())
        .foreachBatch { (df: DataFrame, _: Long) =>
          val row = df.agg(count("*"), coalesce(sum("count(1)"), lit(0L))).first()
          rows += row.getLong(0)
          events += row.getLong(1)
        }
        .start()
        .awaitTermination()
      (rows, events)
    }
    val sparks = total(_.withWatermark("time", "2 seconds"))
    val keyed =
      total(_.withKeyedWatermark("time", "2 seconds", substream = Seq("sub"), idleTimeout = null))
    println(s" rows out and events in them: withWatermark $sparks, withKeyedWatermark $keyed")
  }

  /**
   * Writes 5,000 events for each second, less than two seconds out of order, to files in arrival
   * order.
   */
  private def write(spark: SparkSession): Path = {
    val folder = Files.createTempDirectory("bench-files")
    println(s" writing $FileCount files")
    val perFile = Rows / FileCount
    (0 until FileCount).foreach { i =>
      spark
        .range(i * perFile, (i + 1) * perFile, 1, 1)
        .selectExpr(
          "timestamp_millis(1700000000000L + id DIV 5 - (id * 31) % 1500) AS time",
          s"CAST((id * 7919) % $Substreams AS INT) AS sub",
          "(id * 104729) % 1000 AS key",
          "id AS n"
        )
        .write
        .mode("overwrite")
        .parquet(folder.resolve(s"part-$i").toString)
    }
    flatten(folder)
  }

  private def flatten(folder: Path): Path = {
    val flat = Files.createTempDirectory("bench-flat")
    (0 until FileCount).foreach { i =>
      val parts =
        folder.resolve(s"part-$i").toFile.listFiles().filter(_.getName.endsWith("parquet"))
      val target = flat.resolve(f"$i%04d.parquet")
      Files.move(parts.head.toPath, target)
      target.toFile.setLastModified(1700000000000L + i * 1000L)
    }
    flat
  }
}
