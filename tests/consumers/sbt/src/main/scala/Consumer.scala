import java.nio.file.Files

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.functions.window
import org.apache.spark.sql.streaming.Trigger
import tidegate._

object Consumer extends App {
  val spark = SparkSession
    .builder()
    .master("local[1]")
    .config("spark.sql.extensions", "tidegate.TidegateExtensions")
    .config("spark.sql.shuffle.partitions", "1")
    .config("spark.ui.enabled", "false")
    .getOrCreate()
  import spark.implicits._

  val folder = Files.createTempDirectory("consumer").toString
  spark.sql("SELECT timestamp '2026-01-01 12:00:00' AS time").write.json(s"$folder/rows")

  val counts = spark.readStream
    .schema("time timestamp")
    .json(s"$folder/rows")
    .withKeyedWatermark("time", "0 seconds", flush = true)
    .groupBy(window($"time", "1 minute"))
    .count()

  val query = counts.writeStream
    .format("memory")
    .queryName("counts")
    .option("checkpointLocation", s"$folder/checkpoint")
    .trigger(Trigger.AvailableNow())
    .start()
  query.awaitTermination()
  println(s"windows: ${spark.table("counts").count()}")
}
