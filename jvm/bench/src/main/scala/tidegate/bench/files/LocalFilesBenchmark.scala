package tidegate.bench.files

import java.nio.file.Files

import org.apache.commons.io.FileUtils
import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Encoders, SparkSession}
import tidegate._
import tidegate.bench.{BenchSession, Pairs}
import tidegate.files.LocalFiles

/**
 * Runs the same batches of one row with checkpoint files of Hadoop's own class and of
 * [[tidegate.files.LocalFiles]]: `make bench-files`. Without Hadoop's native library.
 */
object LocalFilesBenchmark {
  private val Batches = 40
  private val Rounds = 5

  def main(args: Array[String]): Unit = BenchSession.use() { spark =>
    Seq("HDFSBacked", "RocksDB").foreach { store =>
      spark.conf.set(
        "spark.sql.streaming.stateStore.providerClass",
        s"org.apache.spark.sql.execution.streaming.state.${store}StateStoreProvider"
      )
      println(s"$store: $Batches batches of one row, tumbling windows, $Rounds rounds")
      val times = Pairs.measure(Rounds)(
        () => run(spark, "org.apache.hadoop.fs.local.LocalFs"),
        () => run(spark, classOf[LocalFiles].getName)
      )
      println(s" $store, LocalFiles to Hadoop's class: ${Pairs.ratios(times.head, times.last)}")
    }
  }

  private def run(spark: SparkSession, files: String): Unit = {
    spark.conf.set("fs.AbstractFileSystem.file.impl", files)
    val checkpoint = Files.createTempDirectory("bench-files")
    val in = MemoryStream[Long](Encoders.scalaLong, spark)
    val query = in
      .toDF()
      .select(timestamp_seconds(col("value")).as("time"))
      .withKeyedWatermark("time", "1 second")
      .groupBy(window(col("time"), "10 seconds"))
      .count()
      .writeStream
      .format("noop")
      .option("checkpointLocation", checkpoint.toString)
      .start()
    try
      (1 to Batches).foreach { i =>
        in.addData(i.toLong)
        query.processAllAvailable()
      }
    finally {
      query.stop()
      val _ = FileUtils.deleteQuietly(checkpoint.toFile)
    }
  }
}
