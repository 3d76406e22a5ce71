package tidegate.sparksuites

import org.apache.spark.sql.execution.streaming.runtime.MemoryStream
import org.apache.spark.sql.functions.timestamp_seconds
import org.apache.spark.sql.streaming.StreamTest

/** Whether the settings of a mode reach the sessions of Spark's suites: else all would pass. */
private[sparksuites] final class ModeSuite(mode: Mode) extends StreamTest {
  import testImplicits._

  test("the extension is loaded, and replaces watermarks if the mode says so") {
    val input = MemoryStream[Long]
    val counted =
      input
        .toDF()
        .select(timestamp_seconds($"value").as("time"))
        .withWatermark("time", "1 second")
        .groupBy("time")
        .count()
    testStream(counted)(
      AddData(input, 1L),
      ProcessAllAvailable(),
      AssertOnQuery { query =>
        assert(spark.catalog.functionExists("is_late"))
        val clocks = query.lastProgress.sources.count(_.description.contains("tidegate_clock"))
        clocks == (if (mode.settings.size > 1) 1 else 0)
      }
    )
  }
}
