package tidegate
package clock

import org.apache.spark.sql.AnalysisException
import org.scalatest.funsuite.AnyFunSuite
import tidegate.clock.ClockOffset
import tidegate.core.clock.{ClockState, OperatorMark}

class ClockOffsetSuite extends AnyFunSuite {

  private def offset(watermarkMs: Long): ClockOffset = new ClockOffset(
    ClockState.empty.copy(operators =
      Map("aggregate" -> OperatorMark(5, Some(watermarkMs), Some(watermarkMs), idle = false))
    )
  )

  test("an offset is its state, and equals the offset that is read from its text") {
    assert(ClockOffset.parse(offset(12L).json).state === offset(12L).state)
    assert(ClockOffset.parse(offset(12L).json) === offset(12L))
    assert(offset(1L) !== offset(2L))
  }

  test("text of another source is refused with a sentence") {
    val error = intercept[AnalysisException](ClockOffset.parse("""{"logOffset":3}"""))
    assert(
      error.getMessage === "[TIDEGATE_FOREIGN_OFFSET] The checkpoint holds " +
        """'{"logOffset":3}' where the offset of the Tidegate clock is expected. The sources of """ +
        "the query have changed their order or were not the same when the checkpoint was made. " +
        "Start with a new checkpoint, or restore the order of the sources. SQLSTATE: KD000"
    )
    intercept[AnalysisException](ClockOffset.parse("17"))
    intercept[AnalysisException](ClockOffset.parse(""))
  }

  test("a newer format is refused with a sentence") {
    val error = intercept[AnalysisException](ClockOffset.parse("""{"tidegateClock":2}"""))
    assert(
      error.getMessage === "[TIDEGATE_NEWER_STATE] The checkpoint was written by a newer " +
        "Tidegate: the state of the clock has format 2, and this version reads up to 1. Use the newer " +
        "version. SQLSTATE: KD000"
    )
  }
}
