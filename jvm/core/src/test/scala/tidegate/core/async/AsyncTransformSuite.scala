package tidegate.core.async

import org.scalatest.funsuite.AnyFunSuite
import tidegate.core.{Idle, Watermark}

class AsyncTransformSuite extends AnyFunSuite {

  private def wm(key: Int, ms: Long) = Passed(Watermark(key.toByte, ms))

  private def ordered(maxInFlight: Int = 8) = AsyncTransform[String](ordered = true, maxInFlight)

  private def unordered(maxInFlight: Int = 8) =
    AsyncTransform[String](ordered = false, maxInFlight)

  private def enter(calls: AsyncTransform[String]): Long = calls.offer().get

  test("a full stage lets no row in, and watermarks do not count") {
    Seq(ordered(2), unordered(2)).foreach { calls =>
      val a = enter(calls)
      assert(calls.observeWatermark(0, 1) === Nil)
      enter(calls)
      assert(calls.offer() === None)
      assert(calls.answer(a, "a") === Seq(Answer(a, "a"), wm(0, 1)))
      assert(calls.offer() === Some(2))
    }
  }

  test("in order, a row that has its answer keeps its place until it leaves") {
    val calls = ordered(2)
    val a = enter(calls)
    val b = enter(calls)
    assert(calls.answer(b, "b") === Nil)
    assert(calls.inFlight === 2)
    assert(calls.offer() === None)
    assert(calls.answer(a, "a") === Seq(Answer(a, "a"), Answer(b, "b")))
    assert(calls.inFlight === 0)
  }

  test("out of order, an answer makes room at once") {
    val calls = unordered(2)
    enter(calls)
    val b = enter(calls)
    assert(calls.answer(b, "b") === Seq(Answer(b, "b")))
    assert(calls.offer() === Some(2))
  }

  test("a watermark of another key waits for a row as well") {
    Seq(ordered(), unordered()).foreach { calls =>
      calls.observeWatermark(0, 1)
      val a = enter(calls)
      assert(calls.observeWatermark(7, 5) === Nil)
      assert(calls.answer(a, "a") === Seq(Answer(a, "a"), wm(7, 5)))
    }
  }

  test("in order, watermarks of one key that follow each other are one; others keep their places") {
    val calls = ordered()
    val a = enter(calls)
    Seq(0 -> 1L, 0 -> 2L, 1 -> 1L, 0 -> 3L).foreach { case (key, ms) =>
      assert(calls.observeWatermark(key.toByte, ms) === Nil)
    }
    assert(calls.answer(a, "a") === Seq(Answer(a, "a"), wm(0, 2), wm(1, 1), wm(0, 3)))
  }

  test("out of order, the watermarks that are free leave, the last of each key") {
    val calls = unordered()
    val a = enter(calls)
    calls.observeWatermark(0, 1)
    calls.observeWatermark(1, 10)
    val b = enter(calls)
    calls.observeWatermark(0, 2)
    val c = enter(calls)
    calls.observeWatermark(1, 20)
    calls.observeWatermark(0, 3)
    calls.observeWatermark(0, 4)
    assert(calls.answer(a, "a") === Seq(Answer(a, "a"), wm(0, 1), wm(1, 10)))
    assert(calls.answer(b, "b") === Seq(Answer(b, "b"), wm(0, 2)))
    assert(calls.answer(c, "c") === Seq(Answer(c, "c"), wm(0, 4), wm(1, 20)))
  }

  test("out of order, answers pass each other only between two watermarks") {
    val calls = unordered(5)
    val a = enter(calls)
    val b = enter(calls)
    calls.observeWatermark(0, 1)
    val c = enter(calls)
    val d = enter(calls)
    calls.observeWatermark(7, 5)
    val e = enter(calls)
    assert(calls.answer(b, "b") === Seq(Answer(b, "b")))
    assert(calls.answer(e, "e") === Nil)
    assert(calls.answer(d, "d") === Nil)
    // Answers that wait take up room, and are counted where their rows entered.
    assert(calls.inFlight === 4)
    assert(calls.inFlight(0) === Map(None -> 1, Some(1L) -> 3))
    assert(calls.answer(a, "a") === Seq(Answer(a, "a"), wm(0, 1), Answer(d, "d")))
    assert(calls.answer(c, "c") === Seq(Answer(c, "c"), wm(7, 5), Answer(e, "e")))
    assert(calls.inFlight === 0)
  }

  test("a key that is first seen behind a row waits for that row") {
    val calls = unordered()
    val a = enter(calls)
    val b = enter(calls)
    assert(calls.observeWatermark(3, 9) === Nil)
    assert(calls.answer(b, "b") === Seq(Answer(b, "b")))
    assert(calls.answer(a, "a") === Seq(Answer(a, "a"), wm(3, 9)))
  }

  test("a watermark that goes back or repeats is ignored, while an earlier one waits too") {
    Seq(ordered(), unordered()).foreach { calls =>
      val a = enter(calls)
      Seq(5L, 5L, 4L).foreach(ms => assert(calls.observeWatermark(0, ms) === Nil))
      assert(calls.answer(a, "a") === Seq(Answer(a, "a"), wm(0, 5)))
    }
  }

  test("idleness leaves behind the rows and watermarks before it") {
    Seq(ordered(), unordered()).foreach { calls =>
      assert(calls.observeIdle() === Seq(Passed(Idle)))
      val a = enter(calls)
      calls.observeWatermark(0, 1)
      assert(calls.observeIdle() === Nil)
      assert(calls.answer(a, "a") === Seq(Answer(a, "a"), wm(0, 1), Passed(Idle)))
    }
  }

  test("out of order, idleness that still waits ends with the next row or watermark") {
    val calls = unordered()
    val a = enter(calls)
    calls.observeIdle()
    val b = enter(calls)
    assert(calls.answer(a, "a") === Seq(Answer(a, "a")))
    calls.observeIdle()
    calls.observeWatermark(0, 1)
    assert(calls.answer(b, "b") === Seq(Answer(b, "b"), wm(0, 1)))
  }

  test("the number of rows inside is exact for each key and watermark") {
    Seq(ordered(), unordered()).foreach { calls =>
      enter(calls)
      calls.observeWatermark(0, 1)
      calls.observeWatermark(1, 7)
      val b = enter(calls)
      enter(calls)
      calls.observeWatermark(0, 2)
      enter(calls)
      assert(calls.inFlight(0) === Map(None -> 1, Some(1L) -> 2, Some(2L) -> 1))
      assert(calls.inFlight(1) === Map(None -> 1, Some(7L) -> 3))
      assert(calls.inFlight(9) === Map(None -> 4))
      calls.answer(b, "b")
      assert(calls.inFlight === calls.inFlight(0).values.sum)
    }
  }

  test("a failed call throws its error; in order, when it is its turn") {
    val error = new IllegalStateException("The call failed.")
    val unorderedCalls = unordered()
    assert(
      intercept[IllegalStateException](unorderedCalls.fail(enter(unorderedCalls), error)) eq error
    )
    val calls = ordered()
    val a = enter(calls)
    val b = enter(calls)
    assert(calls.fail(b, error) === Nil)
    assert(intercept[IllegalStateException](calls.answer(a, "a")) eq error)
  }

  test("a row is answered once") {
    Seq(ordered(), unordered()).foreach { calls =>
      val a = enter(calls)
      calls.answer(a, "a")
      val error = intercept[IllegalStateException](calls.answer(a, "a"))
      assert(
        error.getMessage ===
          "Row 0 got an answer, but waits for none; every row is answered once."
      )
    }
  }

  test("wrong arguments are refused") {
    def message(body: => Any) = intercept[IllegalArgumentException](body).getMessage
    assert(message(ordered(0)) === "Argument maxInFlight is 0; it must be at least 1.")
    Seq(ordered(), unordered()).foreach { calls =>
      assert(
        message(calls.observeWatermark(-1, 1)) === "Argument key is -1; it must be from 0 to 127."
      )
      assert(
        message(calls.observeWatermark(0, Long.MinValue)) ===
          s"Argument timestampMs is ${Long.MinValue} ms; it must be above that: it stands for none."
      )
    }
  }
}
