package tidegate.bench.hop

import java.nio.file.{Files, Path}

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, DataFrame, SparkSession}
import tidegate.bench.StreamFiles

/**
 * The shape of a stream of bids: `rows` rows of `keys` keys, `rate` of them in a second of event
 * time, in `files` files.
 */
private[hop] final case class BidShape(rows: Long, keys: Int, rate: Int, files: Int) {
  require(rows >= files, s"$rows rows are too few for $files files")

  /** The name that a folder with such a stream has, also where other programs look for it. */
  def folderName: String = s"bids-$rows-$keys-$rate-$files"
}

/**
 * A stream of bids as Parquet files in arrival order, with ascending modification times.
 *
 * Columns are `ts` (milliseconds), `key`, `price` (of two decimals) and `part`. The rows of part p
 * run p * 100 ms behind and each is up to 1200 ms late, so none is 2 s behind the newest before it.
 * The last row has key -1 and comes an hour later: it closes every window but its own.
 */
private[hop] final class Bids private (spark: SparkSession, val shape: BidShape, folder: Path) {

  /** Time `rt`, key and price, `filesPerBatch` files a batch. */
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

  /** A range has ascending ids from task to task, and each task writes one file. */
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

  /** Log-normal, by the method of Box and Muller. */
  private def price: Column = {
    def uniform(purpose: String) = (random(purpose, 1000003) + 1) / 1000003.0
    val normal = sqrt(log(uniform("price a")) * -2.0) * cos(uniform("price b") * 2 * math.Pi)
    round(exp(normal + 4.0), 2)
  }

  /** A number below `limit` that depends on the row and `purpose` alone. */
  private def random(purpose: String, limit: Int): Column =
    pmod(xxhash64(col("id"), lit(purpose)), lit(limit.toLong))
}
