package tidegate.bench.order

import java.nio.file.{Files, Path}

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, DataFrame, SparkSession}
import tidegate.bench.StreamFiles

/**
 * The shape of a stream in random order: `rows` rows with `keys` keys, `rate` rows in a second of
 * event time, each up to `disorderSeconds` behind the newest row before it, in `files` files.
 */
private[order] final case class ArrivalShape(
    rows: Long,
    keys: Int,
    rate: Int,
    disorderSeconds: Int,
    files: Int
) {
  require(rows >= files, s"$rows rows are too few for $files files")

  def folderName: String = s"arrivals-$rows-$keys-$rate-$disorderSeconds-$files"

  /** A lag with which no row is late. */
  def lag: String = s"$disorderSeconds seconds"
}

/**
 * A stream of Parquet files in arrival order: `ts` in milliseconds, `key`, `id` and `reading`. The
 * last row has the key -1 and is an hour later: it releases all other rows.
 */
private[order] final class Arrivals private (
    spark: SparkSession,
    val shape: ArrivalShape,
    folder: Path
) {

  /** The columns `rt` (time), `key`, `id` and `reading`, with two files in each batch. */
  def read(): DataFrame =
    spark.readStream
      .schema("ts BIGINT, key BIGINT, id BIGINT, reading DOUBLE")
      .option("maxFilesPerTrigger", 2L)
      .parquet(folder.toString)
      .select(timestamp_millis(col("ts")).as("rt"), col("key"), col("id"), col("reading"))
}

private[order] object Arrivals {
  private val StartMs = 1700000000000L
  private val FlushMs = 3600000L

  /** The stream of this shape below `data`; it is written there if it is missing. */
  def ensure(spark: SparkSession, data: Path, shape: ArrivalShape): Arrivals = {
    val folder = data.resolve(shape.folderName)
    if (!Files.exists(folder)) {
      println(s" writing ${shape.folderName}")
      write(spark, shape, folder)
    }
    new Arrivals(spark, shape, folder)
  }

  /** The ids of a range ascend from task to task, and each task writes one file. */
  private def write(spark: SparkSession, shape: ArrivalShape, folder: Path): Unit = {
    val parts = Files.createTempDirectory("bench-arrivals")
    val isLast = col("id") === shape.rows - 1
    spark
      .range(0, shape.rows, 1, shape.files)
      .select(
        (lit(StartMs) + expr(s"id * 1000 DIV ${shape.rate}") -
          random("delay", shape.disorderSeconds * 1000) +
          when(isLast, FlushMs).otherwise(0L)).as("ts"),
        when(isLast, -1L).otherwise(random("key", shape.keys)).as("key"),
        col("id"),
        (random("reading", 100000) / 100).as("reading")
      )
      .write
      .mode("overwrite")
      .parquet(parts.toString)
    StreamFiles.collect(parts, folder)
  }

  /** A number below `limit` that depends only on the row and `purpose`. */
  private def random(purpose: String, limit: Int): Column =
    pmod(xxhash64(col("id"), lit(purpose)), lit(limit.toLong))
}
