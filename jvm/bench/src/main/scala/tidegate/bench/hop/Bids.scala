package tidegate.bench.hop

import java.nio.file.{Files, Path}

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, DataFrame, SparkSession}
import tidegate.bench.StreamFiles

/**
 * The shape of a stream of bids: `rows` rows with `keys` keys, `rate` rows in a second of event
 * time, in `files` files.
 */
private[hop] final case class BidShape(rows: Long, keys: Int, rate: Int, files: Int) {
  require(rows >= files, s"$rows rows are too few for $files files")

  /** The name of a folder with such a stream; other programs look for it under this name too. */
  def folderName: String = s"bids-$rows-$keys-$rate-$files"
}

/**
 * A stream of bids as Parquet files in arrival order, with ascending modification times.
 *
 * Columns are `ts` (milliseconds), `key`, `price` (with two decimals) and `part`. The rows of part
 * p are p * 100 ms behind, and each row lags by up to 1200 ms more, so no row is 2 s behind the
 * newest row before it. The last row has key -1 and is an hour later: it closes every window except
 * its own.
 */
private[hop] final class Bids private (spark: SparkSession, val shape: BidShape, folder: Path) {

  /** The columns `rt` (time), `key` and `price`, with `filesPerBatch` files in each batch. */
  def read(filesPerBatch: Int): DataFrame =
    spark.readStream
      .schema("ts BIGINT, key BIGINT, price DOUBLE, part INT")
      .option("maxFilesPerTrigger", filesPerBatch)
      .parquet(folder.toString)
      .select(timestamp_millis(col("ts")).as("rt"), col("key"), col("price"))
}

private[hop] object Bids {
  private val StartMs = 1700000000000L
  private val FlushMs = 3600000L
  private val Parts = 8
  private val SkewMs = 100
  private val JitterMs = 1200

  /** The stream of this shape below `data`; it is written there if it is missing. */
  def ensure(spark: SparkSession, data: Path, shape: BidShape): Bids = {
    val folder = data.resolve(shape.folderName)
    if (!Files.exists(folder)) {
      println(s" writing ${shape.folderName}")
      write(spark, shape, folder)
    }
    new Bids(spark, shape, folder)
  }

  /** The ids of a range ascend from task to task, and each task writes one file. */
  private def write(spark: SparkSession, shape: BidShape, folder: Path): Unit = {
    val parts = Files.createTempDirectory("bench-bids")
    val isLast = col("id") === shape.rows - 1
    spark
      .range(0, shape.rows, 1, shape.files)
      .withColumn("part", random("part", Parts).cast("int"))
      .select(
        (lit(StartMs) + expr(s"id * 1000 DIV ${shape.rate}") - col("part") * SkewMs -
          random("jitter", JitterMs) + when(isLast, FlushMs).otherwise(0L)).as("ts"),
        when(isLast, -1L).otherwise(random("key", shape.keys)).as("key"),
        price.as("price"),
        col("part")
      )
      .write
      .mode("overwrite")
      .parquet(parts.toString)
    StreamFiles.collect(parts, folder)
  }

  /** Log-normal prices, by the Box-Muller method. */
  private def price: Column = {
    def uniform(purpose: String) = (random(purpose, 1000003) + 1) / 1000003.0
    val normal = sqrt(log(uniform("price a")) * -2.0) * cos(uniform("price b") * 2 * math.Pi)
    round(exp(normal + 4.0), 2)
  }

  /** A number below `limit` that depends only on the row and `purpose`. */
  private def random(purpose: String, limit: Int): Column =
    pmod(xxhash64(col("id"), lit(purpose)), lit(limit.toLong))
}
