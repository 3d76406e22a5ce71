package tidegate.bench

import org.apache.spark.sql.SparkSession
import tidegate.files.LocalFiles

/**
 * The session of the whole-query benchmarks: two cores, two shuffle partitions, the extension. All
 * sides of a comparison write checkpoints with [[tidegate.files.LocalFiles]]. Otherwise, without
 * Hadoop's native library, child processes would take a good part of a small batch.
 */
private[bench] object BenchSession {

  /** Runs `body` in a session with these settings added, and stops it. */
  def use(settings: (String, String)*)(body: SparkSession => Unit): Unit = {
    val builder = SparkSession
      .builder()
      .master("local[2]")
      .config("spark.sql.extensions", "tidegate.TidegateExtensions")
      .config("spark.sql.shuffle.partitions", "2")
      .config("spark.sql.session.timeZone", "UTC")
      .config("spark.ui.enabled", "false")
      .config("spark.hadoop.fs.AbstractFileSystem.file.impl", classOf[LocalFiles].getName)
      .config("spark.sql.streaming.numRecentProgressUpdates", "10000")
    val spark = settings.foldLeft(builder) { case (b, (k, v)) => b.config(k, v) }.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    try body(spark)
    finally spark.stop()
  }
}
