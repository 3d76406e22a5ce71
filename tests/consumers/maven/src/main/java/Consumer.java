import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.window;

import java.nio.file.Files;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.Trigger;
import tidegate.javaapi.KeyedWatermarkOptions;
import tidegate.javaapi.Tidegate;

public final class Consumer {
  public static void main(String[] arguments) throws Exception {
    SparkSession spark =
        SparkSession.builder()
            .master("local[1]")
            .config("spark.sql.extensions", "tidegate.TidegateExtensions")
            .config("spark.sql.shuffle.partitions", "1")
            .config("spark.ui.enabled", "false")
            .getOrCreate();
    String folder = Files.createTempDirectory("consumer").toString();
    spark.sql("SELECT timestamp '2026-01-01 12:00:00' AS time").write().json(folder + "/rows");

    Dataset<Row> rows = spark.readStream().schema("time timestamp").json(folder + "/rows");
    Dataset<Row> keyed =
        Tidegate.withKeyedWatermark(rows, "time", KeyedWatermarkOptions.lag("0 seconds").flush(true));
    StreamingQuery query =
        keyed
            .groupBy(window(col("time"), "1 minute"))
            .count()
            .writeStream()
            .format("memory")
            .queryName("counts")
            .option("checkpointLocation", folder + "/checkpoint")
            .trigger(Trigger.AvailableNow())
            .start();
    query.awaitTermination();
    System.out.println("windows: " + spark.table("counts").count());
    spark.stop();
  }
}
