package tidegate.core.clock

import org.scalatest.funsuite.AnyFunSuite
import tidegate.core.clock.ClockEvent._

/** What the log says where it may not name substreams, which are values of rows. */
class EventWordsSuite extends AnyFunSuite {

  private val named: Seq[(ClockEvent, String)] = Seq(
    Appeared("n", Seq("bob", "eve")) -> "new substreams: 2.",
    FellIdle("n", Seq("bob")) ->
      "substreams that are idle and hold nothing back from now on: 1.",
    CameBack("n", Seq("bob")) -> "substreams that were idle and have rows again: 1.",
    Forgotten("n", Seq("bob", "eve")) -> "idle substreams that are forgotten: 2.",
    HeldBack("n", "bob", 7, 5) ->
      ("a substream holds time back, and has had no row for 7 ms, longer than its idle timeout of " +
        "5 ms. It counts as silent only when the query has read all that its sources have, and " +
        "knows it."),
    LateAfterIdle("n", "bob", 7, 3) ->
      ("3 rows of a substream are below the watermark, as the substream was idle: it had no row " +
        "for 7 ms, and time went on without it. A longer idleTimeout, or idleBehind, lets time " +
        "wait for such a substream."),
    Stalled("n", Some(0), 1000, Some("bob"), 2000, 3000, isBehind = false) ->
      ("time has stood still for 1 s, at 1970-01-01T00:00:00Z. It waits for a substream, which is " +
        "2 s behind the newest and has had no row for 3 s. tidegate.explainTime(query) says what " +
        "would help.")
  )

  test("events that name substreams count them") {
    named.foreach { case (event, text) =>
      assert(event.countedAt(1).text === text)
      assert(event.countedAt(1).substreams === Nil)
      assert(
        event.countedAt(1).copy(text = "", substreams = Nil) === event
          .at(1)
          .copy(text = "", substreams = Nil)
      )
      assert(event.at(1).text.contains("bob") && event.at(1).substreams.contains("bob"))
    }
  }

  test("events without substreams have the same words") {
    val others = Seq(Restored("n", 2, None), Ended("n"), Withheld("n", "KafkaV2", 5))
    others.foreach(event => assert(event.countedAt(1) === event.at(1)))
  }
}
