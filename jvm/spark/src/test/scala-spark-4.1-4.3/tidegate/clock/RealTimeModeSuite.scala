package tidegate.clock

import org.apache.spark.sql.AnalysisException
import org.scalatest.funsuite.AnyFunSuite

class RealTimeModeSuite extends AnyFunSuite {

  test("the clock refuses real-time mode") {
    // Spark refuses in-memory sources before it comes to the clock.
    val error = intercept[AnalysisException](new EventTimeClock(0L).prepareForRealTimeMode())
    assert(
      error.getMessage.startsWith(
        "[TIDEGATE_REAL_TIME_MODE] A keyed watermark does not run in real-time mode: there " +
          "the stages of a batch run at the same time, for minutes, so no moment comes in which the times of all " +
          "its rows are known. Use another trigger, for example Trigger.ProcessingTime."
      )
    )
  }
}
