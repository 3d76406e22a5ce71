package tidegate
package preparation

import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.{AnalysisException, DataFrame}

/** The settings that a query starts with. */
class CheckSettingsSuite extends KeyedStreamTest {

  private def start(df: DataFrame): Unit = {
    val query = df.writeStream.format("noop").start()
    query.stop()
  }

  test("a name that is no setting's is told with the nearest one") {
    val conf = new SQLConf
    conf.setConfString("spark.tidegate.latenes", "slowest")
    conf.setConfString("spark.tidegate.lateness", "slowest")
    conf.setConfString("spark.tidegate.frames.enabled", "false")
    conf.setConfString("spark.sql.shuffle.partitions", "2")
    assert(
      CheckSettings.unknown(conf) === Seq(
        "Tidegate has no setting spark.tidegate.frames.enabled, so it has no effect. The nearest " +
          "name is spark.tidegate.windows.enabled.",
        "Tidegate has no setting spark.tidegate.latenes, so it has no effect. The nearest name is " +
          "spark.tidegate.lateness."
      )
    )
  }

  test("it is a warning at the start of every query, with a watermark or without") {
    withConf("spark.tidegate.replaceWithWatermrk" -> "true") {
      val lines = LogLines.during("tidegate.preparation.CheckSettings")(start(events().toDF()))
      assert(
        lines === Seq(
          "Tidegate has no setting spark.tidegate.replaceWithWatermrk, so it has no effect. The " +
            "nearest name is spark.tidegate.replaceWithWatermark."
        )
      )
    }
  }

  test("a value that means nothing is refused at the start, also where only a batch asks for it") {
    val keyed = events().toDF().withKeyedWatermark("time", "1 second")
    for (
      (key, wanted) <- Seq(
        "spark.tidegate.maxSubstreams" -> "a whole number above 0",
        "spark.tidegate.stallWarning" -> "a duration such as '10 minutes', or '0 seconds'",
        "spark.tidegate.late.logPayloadChars" -> "a whole number, 0 or above"
      )
    ) withConf(key -> "-1") {
      val error = intercept[AnalysisException](start(keyed))
      assert(
        error.getMessage ===
          s"[TIDEGATE_INVALID_SETTING] The setting $key is '-1', but must be $wanted. SQLSTATE: 22023"
      )
    }
  }
}
