package tidegate
package golden

import java.util.Base64
import java.util.zip.Inflater

import org.scalatest.funsuite.AnyFunSuite
import tidegate.core.clock._
import tidegate.core.policy.{PolicySpec => CorePolicy}
import tidegate.core.window.WindowGrid

/** The offset of the clock, with everything that can be in it. */
class OffsetFormatSuite extends AnyFunSuite {

  private val full = ClockState(
    Map(
      "orders" -> NodeMark(5, Some(-7L), idle = true),
      "new" -> NodeMark(0, None, idle = false)
    ),
    Map(
      "orders" -> NodeState(
        Seq(
          SavedSubstream("", Vector(), 5L),
          SavedSubstream("a/b", Vector(1L, -5L), 77L),
          SavedSubstream("ä", Vector(Long.MinValue), Long.MaxValue)
        ),
        Some(
          NodeOrigin(
            CorePolicy("limitingLagAndLull", Seq(5L, 60L)),
            Seq("topic STRING", "ä,\"b\" INT"),
            Seq(0, 2)
          )
        ),
        Some(-3L)
      ),
      "new" -> NodeState.empty
    ),
    Map(
      "aggregate" -> OperatorMark(
        5,
        Some(12L),
        Some(11L),
        idle = false,
        Some(WindowGrid(5000L, 1000L, 20000L))
      ),
      "join.left" -> OperatorMark(5, None, Some(3L), idle = true)
    ),
    Map("aggregate" -> -9L),
    looks = 2L,
    savedAtMs = 99L
  )

  private val Packed = "(?<=\"state\":\")[^\"]*".r

  /** With substreams as bytes: each library of zip has another text for the same bytes. */
  private def unpacked(offset: String): String = Packed.replaceAllIn(
    offset,
    found => {
      val (inflater, bytes) = (new Inflater, new Array[Byte](1000))
      inflater.setInput(Base64.getDecoder.decode(found.matched))
      bytes.take(inflater.inflate(bytes)).map(byte => f"$byte%02x").mkString
    }
  )

  test("the offset of the clock is written as its format number says") {
    PinnedFormat(
      "offset",
      ClockCodec.Format,
      "the offset of the clock",
      "ClockCodec.Format",
      "ClockCodec.read"
    ).check(unpacked(ClockCodec.write(full)) + "\n")
  }
}
