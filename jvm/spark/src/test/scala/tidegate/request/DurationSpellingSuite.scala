package tidegate
package request

import org.apache.spark.sql.AnalysisException
import org.scalatest.funsuite.AnyFunSuite

/** Durations in other spellings than Spark's: what was probably meant. */
class DurationSpellingSuite extends AnyFunSuite {

  test("no text at all") {
    assert(refused(null).getCondition === "TIDEGATE_INVALID_DURATION")
  }

  private def refused(text: String): AnalysisException =
    intercept[AnalysisException](Durations.parseMs("lag", text, 0))

  Seq(
    "5" -> "5 seconds",
    "5s" -> "5 seconds",
    "5S" -> "5 seconds",
    "5sec" -> "5 seconds",
    "1 sec" -> "1 second",
    " 5 secs " -> "5 seconds",
    "5 m" -> "5 minutes",
    "10min" -> "10 minutes",
    "90mins" -> "90 minutes",
    "1h" -> "1 hour",
    "3 hrs" -> "3 hours",
    "1h30" -> "1 hour 30 minutes",
    "1h30m" -> "1 hour 30 minutes",
    "1h 30m 10s" -> "1 hour 30 minutes 10 seconds",
    "5m30" -> "5 minutes 30 seconds",
    "1.5h" -> "1 hour 30 minutes",
    "1.5s" -> "1.5 seconds",
    "0.5 days" -> "12 hours",
    "2d" -> "2 days",
    "2 w" -> "2 weeks",
    "500ms" -> "500 milliseconds",
    "500 millis" -> "500 milliseconds",
    "PT5M" -> "5 minutes",
    "pt1h30m" -> "1 hour 30 minutes",
    "PT90S" -> "1 minute 30 seconds",
    "P1D" -> "1 day",
    "P2DT3H" -> "2 days 3 hours",
    "PT0.5S" -> "500 milliseconds",
    "00:05:00" -> "5 minutes",
    "1:30:00" -> "1 hour 30 minutes",
    "5 secnds" -> "5 seconds",
    "5 minuets" -> "5 minutes",
    "5 minutess" -> "5 minutes",
    "5 Hours." -> "",
    "" -> "",
    " " -> "",
    "soon" -> "",
    "five minutes" -> "",
    "1 month" -> "",
    "1 year 2s" -> "",
    "1500 microseconds" -> "",
    "0.0015 seconds" -> "",
    "0.0001h" -> "",
    "5s5s" -> "",
    "5s 1h" -> "",
    "5 5" -> "",
    "5s5" -> "",
    "5 seconds 7" -> "",
    "1 hour 30" -> "",
    "-5s" -> "",
    "1:30" -> "",
    "P1M" -> "",
    "PT" -> "",
    "P" * 41 -> "",
    "9" * 10 + "s" -> "",
    "5s; DROP TABLE t" -> "",
    "\u0665s" -> ""
  ).foreach { case (text, near) =>
    test(s"'$text' ${if (near.isEmpty) "means nothing that is known" else s"means $near"}") {
      val error = refused(text)
      if (near.isEmpty) {
        assert(error.getCondition === "TIDEGATE_INVALID_DURATION")
      } else {
        assert(
          error.getMessage === "[TIDEGATE_DURATION_SPELLING] The argument `lag` is " +
            s"'$text', which is not a duration. Did you mean '$near'? SQLSTATE: 22006"
        )
        assert(Durations.parseMs("lag", near, 1) > 0)
      }
    }
  }
}
