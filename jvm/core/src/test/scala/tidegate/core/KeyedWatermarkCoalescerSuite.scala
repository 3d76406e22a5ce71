package tidegate.core

import org.scalatest.funsuite.AnyFunSuite

class KeyedWatermarkCoalescerSuite extends AnyFunSuite {

  private val key: Byte = 0

  private def refusal(body: => Any): String = intercept[IllegalArgumentException](body).getMessage

  test("two inputs, one key: the minimum is forwarded each time that it rises") {
    val coalescer = new KeyedWatermarkCoalescer(2)
    assertResult(Nil)(coalescer.observeWatermark(0, key, 10))
    assertResult(Seq(Watermark(key, 10)))(coalescer.observeWatermark(1, key, 12))
    assertResult(Seq(Watermark(key, 11)))(coalescer.observeWatermark(0, key, 11))
    assertResult(Nil)(coalescer.observeWatermark(1, key, 13))
    assertResult(Seq(Watermark(key, 13)))(coalescer.observeWatermark(0, key, 14))
  }

  test("an idle input that is back with an old watermark holds back at the forwarded value") {
    val coalescer = new KeyedWatermarkCoalescer(2)
    coalescer.observeWatermark(0, key, 10)
    coalescer.observeWatermark(1, key, 20)
    assertResult(Seq(Watermark(key, 20)))(coalescer.observeIdle(0))
    assertResult(Nil)(coalescer.observeWatermark(0, key, 15))
    assertResult(Nil)(coalescer.observeWatermark(1, key, 30))
    assertResult(Some(20L))(coalescer.coalesced(key))
    assertResult(Seq(Watermark(key, 25)))(coalescer.observeWatermark(0, key, 25))
  }

  test("a watermark on an idle input makes it active for every key, not only for its own") {
    val coalescer = new KeyedWatermarkCoalescer(2)
    coalescer.observeIdle(0)
    coalescer.observeWatermark(1, 1, 10)
    assertResult(Nil)(coalescer.observeWatermark(0, 2, 5))
    assertResult(Nil)(coalescer.observeWatermark(1, 1, 11))
    assertResult(Seq(Watermark(1, 11)))(coalescer.observeIdle(0))
  }

  test("repeated idle is swallowed, and so is a repeated done") {
    val coalescer = new KeyedWatermarkCoalescer(2)
    coalescer.observeWatermark(1, key, 10)
    assertResult(Seq(Watermark(key, 10)))(coalescer.observeIdle(0))
    assertResult(Nil)(coalescer.observeIdle(0))
    assertResult(Seq(Idle))(coalescer.observeIdle(1))
    assertResult(Nil)(coalescer.observeIdle(1))
    assertResult(Nil)(coalescer.observeDone(1))
    assertResult(Nil)(coalescer.observeDone(1))
  }

  test("one input idle at 20, the other done at 10: 20 leaves, and the result is not idle") {
    val coalescer = new KeyedWatermarkCoalescer(2)
    coalescer.observeWatermark(0, key, 20)
    assertResult(Nil)(coalescer.observeIdle(0))
    assertResult(Seq(Watermark(key, 10)))(coalescer.observeWatermark(1, key, 10))
    assertResult(Seq(Watermark(key, 20)))(coalescer.observeDone(1))
    assert(!coalescer.isIdle)
    assertResult(Nil)(coalescer.observeEvent(0))
    assertResult(Seq(Watermark(key, 30)))(coalescer.observeWatermark(0, key, 30))
    assertResult(Seq(Idle))(coalescer.observeIdle(0))
  }

  test("one input done at 10, the other done without a watermark: 10 leaves") {
    val coalescer = new KeyedWatermarkCoalescer(2)
    assertResult(Nil)(coalescer.observeWatermark(0, key, 10))
    assertResult(Nil)(coalescer.observeDone(0))
    assertResult(Seq(Watermark(key, 10)))(coalescer.observeDone(1))
    assert(!coalescer.isIdle)
  }

  test("one input idle without a watermark, the other done: only what was held back leaves") {
    val coalescer = new KeyedWatermarkCoalescer(3)
    coalescer.observeWatermark(0, 1, 10)
    coalescer.observeWatermark(0, 2, 20)
    coalescer.observeWatermark(1, 1, 5)
    assertResult(Seq(Watermark(1, 5)))(coalescer.observeIdle(2))
    assertResult(Nil)(coalescer.observeDone(0))
    assertResult(Seq(Watermark(1, 10), Watermark(2, 20)))(coalescer.observeDone(1))
    assertResult(Nil)(coalescer.observeDone(2))
    assert(!coalescer.isIdle)
  }

  test("the highest value leaves before idle also if it came from an input that is done") {
    val coalescer = new KeyedWatermarkCoalescer(2)
    coalescer.observeWatermark(0, key, 100)
    coalescer.observeDone(0)
    coalescer.observeWatermark(1, key, 10)
    assertResult(Seq(Watermark(key, 100), Idle))(coalescer.observeIdle(1))
  }

  test("all inputs done after idle: nothing more, and the result stays idle") {
    val coalescer = new KeyedWatermarkCoalescer(1)
    assert(!coalescer.isIdle)
    coalescer.observeIdle(0)
    assertResult(Nil)(coalescer.observeDone(0))
    assert(coalescer.isIdle)
  }

  test("the highest Long is an ordinary watermark") {
    val coalescer = new KeyedWatermarkCoalescer(2)
    assertResult(Nil)(coalescer.observeWatermark(0, key, Long.MaxValue))
    assertResult(Seq(Watermark(key, 7)))(coalescer.observeWatermark(1, key, 7))
    assertResult(Seq(Watermark(key, Long.MaxValue)))(coalescer.observeDone(1))
  }

  test("asking for a key creates nothing") {
    val coalescer = new KeyedWatermarkCoalescer(2)
    assertResult(None)(coalescer.coalesced(5))
    assertResult(None)(coalescer.topObserved(5))
    coalescer.observeWatermark(0, 1, 10)
    assertResult(Seq(Watermark(1, 10)))(coalescer.observeDone(1))
  }

  test("a refused first watermark creates no key") {
    val coalescer = new KeyedWatermarkCoalescer(1)
    coalescer.observeDone(0)
    intercept[IllegalStateException](coalescer.observeWatermark(0, 5, 10))
    assertResult(None)(coalescer.topObserved(5))
  }

  test("a watermark that does not rise names input, key, previous and new value") {
    val coalescer = new KeyedWatermarkCoalescer(4)
    coalescer.observeWatermark(3, 7, 12)
    coalescer.observeIdle(3)
    val error =
      intercept[NonMonotonicWatermarkException](coalescer.observeWatermark(3, 7, 10))
    assertResult(
      "Input 3 sent watermark 10 for key 7 after watermark 12; the watermarks of one input and " +
        "key must strictly increase."
    )(error.getMessage)
    assertResult((3, 7, 12L, 10L))(
      (error.input, error.key.toInt, error.previousMs, error.timestampMs)
    )
    assertResult(Some(12L))(coalescer.topObserved(7))
    (0 to 1).foreach(coalescer.observeIdle)
    assertResult(Seq(Watermark(7, 12), Idle))(coalescer.observeIdle(2))
  }

  test("arguments out of range are refused with argument, found and wanted value") {
    val coalescer = new KeyedWatermarkCoalescer(2)
    assertResult("Argument inputCount is 0; it must be at least 1.")(
      refusal(new KeyedWatermarkCoalescer(0))
    )
    assertResult("Argument input is 2; it must be from 0 to 1.")(refusal(coalescer.observeIdle(2)))
    assertResult("Argument input is -1; it must be from 0 to 1.")(
      refusal(coalescer.observeDone(-1))
    )
    assertResult("Argument input is 2; it must be from 0 to 1.")(refusal(coalescer.observeEvent(2)))
    assertResult("Argument input is 9; it must be from 0 to 1.")(
      refusal(coalescer.observeWatermark(9, key, 1))
    )
    assertResult("Argument key is -1; it must be from 0 to 127.")(
      refusal(coalescer.observeWatermark(0, -1, 1))
    )
    assertResult("Argument key is -1; it must be from 0 to 127.")(refusal(coalescer.coalesced(-1)))
    assertResult("Argument key is -128; it must be from 0 to 127.")(
      refusal(coalescer.topObserved(-128))
    )
    assertResult(
      "Argument timestampMs is -9223372036854775808 ms; it must be above that: it stands for none."
    )(refusal(coalescer.observeWatermark(0, key, Long.MinValue)))
  }

  test("an input that is done may send nothing more") {
    val coalescer = new KeyedWatermarkCoalescer(2)
    coalescer.observeDone(1)
    def sentence(found: String) =
      s"Input 1 sent $found after it was done; an input that is done may send nothing more."
    def message(body: => Any) = intercept[IllegalStateException](body).getMessage
    assertResult(sentence("a watermark"))(message(coalescer.observeWatermark(1, key, 1)))
    assertResult(sentence("an event"))(message(coalescer.observeEvent(1)))
    assertResult(sentence("idle"))(message(coalescer.observeIdle(1)))
  }
}
