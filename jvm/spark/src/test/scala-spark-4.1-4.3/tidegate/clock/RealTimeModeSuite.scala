package tidegate
package clock

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.streaming.{OutputMode, Trigger}

class RealTimeModeSuite extends KeyedStreamTest {

  private def refused(start: => Unit): Unit = assert(
    intercept[AnalysisException](start).getMessage.startsWith(
      "[TIDEGATE_REAL_TIME_MODE] A keyed watermark does not run in real-time mode: there " +
        "the stages of a batch run at the same time, for minutes, so no moment comes in which the times of all " +
        "its rows are known. Use another trigger, for example Trigger.ProcessingTime."
    )
  )

  test("a query in real-time mode is refused with the same sentence in each output mode") {
    val keyed = events().toDF().withKeyedWatermark("time", "1 second")
    withConf("spark.sql.streaming.realTimeMode.allowlistCheck" -> "false") {
      Seq(OutputMode.Append(), OutputMode.Update()).foreach { mode =>
        val writer = keyed.writeStream.format("noop").outputMode(mode)
        refused(writer.trigger(Trigger.RealTime("5 minutes")).start().stop())
      }
    }
  }

  test("the clock refuses real-time mode, as it comes into replaced queries later") {
    refused(new EventTimeClock(0L).prepareForRealTimeMode())
  }
}
