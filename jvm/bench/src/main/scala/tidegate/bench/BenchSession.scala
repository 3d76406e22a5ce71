package tidegate.bench

import org.apache.spark.sql.SparkSession

/** The session of the whole-query benchmarks: two cores, two shuffle partitions, the extension. */
private[bench] object BenchSession {

  /**
   * For both sides of a comparison: Spark's other file manager asks for symbolic links. For that,
   * Hadoop without its native library starts a process, several times in each batch.
   */
  val DirectRename: (String, String) = "spark.sql.streaming.checkpointFileManagerClass" ->
    ("org.apache.spark.sql.execution.streaming.checkpointing." +
      "FileSystemBasedCheckpointFileManager")

  /** Runs `body` in a session with these settings added, and stops it. */
  def use(settings: (String, String)*)(body: SparkSession => Unit): Unit = {
    val builder = SparkSession
      .builder()
      .master("local[2]")
      .config("spark.sql.extensions", "tidegate.TidegateExtensions")
      .config("spark.sql.shuffle.partitions", "2")
      .config("spark.sql.session.timeZone", "UTC")
      .config("spark.ui.enabled", "false")
      .config("spark.sql.streaming.numRecentProgressUpdates", "10000")
    val spark = settings.foldLeft(builder) { case (b, (k, v)) => b.config(k, v) }.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    try body(spark)
    finally spark.stop()
  }
}
