package tidegate.bench.held

import java.nio.file.{Files, Path}

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, SparkSession}
import tidegate.bench.StreamFiles

/**
 * A stream that first fills a state and then changes a little of it, as Parquet files in arrival
 * order: one row for each of `keys` keys, and then a file of `HeldRows.BatchRows` rows with random
 * keys for each batch. A batch is ten seconds of event time. The rows of the first file have about
 * the same time, or are spread over as much time as all batches have.
 *
 * Columns are `ts` (milliseconds), `key` and `price`; other engines read them too.
 */
private[held] final class HeldRows private (spark: SparkSession, val folder: Path) {

  /** The columns `rt` (time), `key` and `price`, with one file in each batch. */
  def read(): DataFrame = spark.readStream
    .schema("ts BIGINT, key BIGINT, price DOUBLE")
    .option("maxFilesPerTrigger", 1)
    .parquet(folder.toString)
    .select(timestamp_millis(col("ts")).as("rt"), col("key"), col("price"))
}

private[held] object HeldRows {

  /** After the file with all keys. */
  val Batches = 30

  val BatchRows = 5000

  /** The start of an hour: the batches end 5 or 10 minutes later, before any window does. */
  private val StartMs = 1699999200000L
  private val BatchMs = 10000L
  private val LoadMs = 1000L

  /** The time from which on a state is changed whose rows have about the same time. */
  val ChangesFromMs: Long = StartMs + LoadMs

  /**
   * The stream below `data`; it is written there if it is missing. Streams with different names
   * have different rows.
   */
  def ensure(
      spark: SparkSession,
      data: Path,
      name: String,
      keys: Long,
      isSpread: Boolean
  ): HeldRows = {
    val folder = data.resolve(s"held-${if (isSpread) "spread-" else ""}$name-$keys")
    if (!Files.exists(folder)) {
      println(s" writing ${folder.getFileName}")
      write(spark, name, keys, if (isSpread) Batches * BatchMs else LoadMs, folder)
    }
    new HeldRows(spark, folder)
  }

  private def write(
      spark: SparkSession,
      name: String,
      keys: Long,
      loadMs: Long,
      folder: Path
  ): Unit = {
    val parts = Files.createTempDirectory("bench-held")
    val id = col("id")
    val price = (pmod(xxhash64(id, lit(name)), lit(100000L)) / 100.0).as("price")
    val all = spark
      .range(0, keys, 1, 1)
      .select((lit(StartMs) + id * loadMs / keys).cast("long").as("ts"), id, price)
    val key = pmod(xxhash64(id, lit(s"$name key")), lit(keys))
    val time = lit(StartMs + loadMs) + id * BatchMs / BatchRows
    val few = spark
      .range(0, Batches.toLong * BatchRows, 1, Batches)
      .select(time.cast("long").as("ts"), key, price)
    // The tasks of a union are those of its parts, in order; each writes one file.
    all.union(few).toDF("ts", "key", "price").write.mode("overwrite").parquet(parts.toString)
    StreamFiles.collect(parts, folder)
  }
}
