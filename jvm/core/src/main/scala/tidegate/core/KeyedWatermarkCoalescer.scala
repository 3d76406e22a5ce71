package tidegate.core

import tidegate.core.KeyedWatermarkCoalescer.KeyCount

/**
 * Coalesces the watermarks of `inputCount` inputs, for all keys.
 *
 *   - The coalesced watermark of a key is the minimum over the active inputs; an active input
 *     without a watermark for the key holds the key back. It is forwarded when it rises above the
 *     value that was forwarded last, and never goes back. Keys do not influence each other.
 *   - Idleness has no key. An idle input is left out for every key, also for keys seen later. An
 *     event or a watermark makes it active again for every key: its old watermarks count again, and
 *     may hold a key back at the value that was forwarded.
 *   - When the last active input turns idle, the highest observed watermark of every key is
 *     forwarded first, then `Idle`.
 *   - An input that is done holds nothing back any more. When the last active input is done, the
 *     highest observed watermark of every key is forwarded, but never `Idle`.
 *
 * Every method returns what is to be forwarded now: keys in ascending order, `Idle` last, `Nil`
 * when nothing is due. To observe a watermark costs O(log inputCount) and allocates nothing unless
 * something is forwarded; an input that turns idle, active or done costs O(log inputCount) for each
 * key. Not thread-safe.
 *
 * `coalescer.json` and `keyed_coalescer.json` of the scenarios say what it does. The clock of a
 * query takes the times of unions from it. For the substreams of one watermark the clock uses the
 * underlying [[ActiveMinimum]], because a step of the clock takes in everything before a minimum
 * may become visible: see `docs/design/001-the-clock-is-a-source.md`.
 *
 * Example:
 * {{{
 * val coalescer = new KeyedWatermarkCoalescer(2)
 * coalescer.observeWatermark(0, 0, 10) // Nil: input 1 has shown nothing yet
 * coalescer.observeWatermark(1, 0, 12) // Seq(Watermark(0, 10))
 * coalescer.observeIdle(0)             // Seq(Watermark(0, 12))
 * coalescer.observeIdle(1)             // Seq(Idle)
 * }}}
 *
 * @param inputCount
 *   how many inputs there are, at least 1; they are numbered from 0
 * @throws java.lang.IllegalArgumentException
 *   if `inputCount` is below 1
 */
final class KeyedWatermarkCoalescer(inputCount: Int) {
  Arguments.atLeast("inputCount", inputCount, 1)

  private val active = Array.fill(inputCount)(true)
  private val done = new Array[Boolean](inputCount)
  private var activeCount = inputCount
  private var idle = false
  private val minima = new Array[ActiveMinimum](KeyCount)
  private val forwarded = Array.fill(KeyCount)(NoWatermark.Ms)

  /**
   * Takes in a watermark of one input.
   *
   * Forwards the key's coalesced watermark if it rose. On an idle input it counts as activity for
   * all keys, as in [[observeEvent]].
   *
   * Example: with two inputs at 10 and 12, `observeWatermark(0, 0, 11)` returns
   * `Seq(Watermark(0, 11))`.
   *
   * @param timestampMs
   *   epoch milliseconds
   * @throws NonMonotonicWatermarkException
   *   if it is not above the previous watermark of this input and key; in this case nothing changes
   * @throws java.lang.IllegalArgumentException
   *   if there is no such input, the key is below 0, or the watermark is `Long.MinValue`
   * @throws java.lang.IllegalStateException
   *   if the input is done
   */
  def observeWatermark(input: Int, key: Byte, timestampMs: Long): Seq[WatermarkSignal] = {
    checkWatermark(input, key, timestampMs)
    if (minima(key) == null) minima(key) = newMinimum()
    if (!active(input)) activate(input)
    minima(key).observe(input, timestampMs)
    if (rises(key)) Watermark(key, forwarded(key)) :: Nil else Nil
  }

  /**
   * Records that an ordinary event was seen on an input: an idle input becomes active again.
   *
   * Returns `Nil`: an input that counts again may hold a watermark back, but cannot raise one.
   *
   * Example: after `observeIdle(0)` and `observeEvent(0)`, input 0 holds the result back again.
   *
   * @throws java.lang.IllegalArgumentException
   *   if there is no such input
   * @throws java.lang.IllegalStateException
   *   if the input is done
   */
  def observeEvent(input: Int): Seq[WatermarkSignal] = {
    checkInput(input)
    checkNotDone(input, "an event")
    if (!active(input)) activate(input)
    Nil
  }

  /**
   * Records that an input is idle: it is left out of every key until its next event or watermark.
   *
   * Forwards the watermarks that it was holding back. If no input is active any more, forwards the
   * highest observed watermark of every key that is above the forwarded one, then [[Idle]]. If the
   * input is already idle, nothing changes.
   *
   * Example: one input at 100, the other without a watermark: `observeIdle(1)` returns
   * `Seq(Watermark(0, 100))`, and `observeIdle(0)` then returns `Seq(Idle)`.
   *
   * @throws java.lang.IllegalArgumentException
   *   if there is no such input
   * @throws java.lang.IllegalStateException
   *   if the input is done
   */
  def observeIdle(input: Int): Seq[WatermarkSignal] = {
    checkInput(input)
    checkNotDone(input, "idle")
    if (!active(input)) Nil
    else {
      active(input) = false
      activeCount -= 1
      minima.foreach(minimum => if (minimum != null) minimum.deactivate(input))
      idle = activeCount == 0
      forwardRises(if (idle) Idle :: Nil else Nil)
    }
  }

  /**
   * Records that an input will send nothing any more. Forwards the watermarks that it was holding
   * back; if no input is active any more, forwards the highest observed watermark of every key that
   * is above the forwarded one. Never forwards [[Idle]]. If the input is already done, nothing
   * changes.
   *
   * Example: one input at 100, the other without a watermark: `observeDone(1)` returns
   * `Seq(Watermark(0, 100))`, and `observeDone(0)` then returns `Nil`.
   *
   * @throws java.lang.IllegalArgumentException
   *   if there is no such input
   */
  def observeDone(input: Int): Seq[WatermarkSignal] = {
    checkInput(input)
    if (done(input)) Nil
    else {
      done(input) = true
      if (active(input)) activeCount -= 1
      active(input) = false
      minima.foreach(minimum => if (minimum != null) minimum.remove(input))
      forwardRises(Nil)
    }
  }

  /**
   * The last forwarded watermark of a key in epoch ms, `None` if there was none. A key that was
   * never seen is not created by asking.
   *
   * Example: `coalesced(7)` is `None` in a new coalescer.
   *
   * @throws java.lang.IllegalArgumentException
   *   if the key is below 0
   */
  def coalesced(key: Byte): Option[Long] = {
    checkKey(key)
    NoWatermark.toOption(forwarded(key))
  }

  /**
   * The highest watermark of a key on any input, idle and done ones too, in epoch ms; `None` if
   * there was none. A key that was never seen is not created by asking.
   *
   * Example: with two inputs at 10 and 12, `topObserved(0)` is `Some(12)`.
   *
   * @throws java.lang.IllegalArgumentException
   *   if the key is below 0
   */
  def topObserved(key: Byte): Option[Long] = {
    checkKey(key)
    Option(minima(key)).flatMap(minimum => NoWatermark.toOption(minimum.top))
  }

  /**
   * Whether [[Idle]] was forwarded and no input has been active since.
   *
   * Example: false in a new coalescer; with one input, true after `observeIdle(0)` and false again
   * after `observeEvent(0)`.
   */
  def isIdle: Boolean = idle

  /**
   * The input that decides the watermark of a key, as [[ActiveMinimum.decidedBy]]; a key that was
   * never seen is held back by the first active input.
   */
  private[core] def decidedBy(key: Byte): Option[Int] =
    Option(minima(key)).getOrElse(newMinimum()).decidedBy

  private def activate(input: Int): Unit = {
    active(input) = true
    activeCount += 1
    idle = false
    minima.foreach(minimum => if (minimum != null) minimum.activate(input))
  }

  /** A key that is seen late starts with the same idle and done inputs as the other keys. */
  private def newMinimum(): ActiveMinimum = {
    val minimum = new ActiveMinimum
    active.foreach(_ => minimum.add())
    active.indices.foreach { input =>
      if (done(input)) minimum.remove(input)
      else if (!active(input)) minimum.deactivate(input)
    }
    minimum
  }

  private def rises(key: Int): Boolean = {
    val value = minima(key).value
    val isHigher = value > forwarded(key)
    if (isHigher) forwarded(key) = value
    isHigher
  }

  /** Walks the keys downwards, because a list grows at its head. */
  private def forwardRises(last: List[WatermarkSignal]): List[WatermarkSignal] = {
    var signals = last
    var key = KeyCount - 1
    while (key >= 0) {
      if (minima(key) != null && rises(key))
        signals = Watermark(key.toByte, forwarded(key)) :: signals
      key -= 1
    }
    signals
  }

  private def checkWatermark(input: Int, key: Byte, timestampMs: Long): Unit = {
    checkInput(input)
    checkKey(key)
    if (timestampMs == NoWatermark.Ms)
      Arguments.refuse("timestampMs", s"$timestampMs ms", "above that: it stands for none")
    checkNotDone(input, "a watermark")
    val previousMs = if (minima(key) == null) NoWatermark.Ms else minima(key).watermark(input)
    if (timestampMs <= previousMs)
      throw new NonMonotonicWatermarkException(input, key, previousMs, timestampMs)
  }

  private def checkKey(key: Byte): Unit = Arguments.within("key", key, KeyCount - 1)

  private def checkInput(input: Int): Unit = Arguments.within("input", input, inputCount - 1)

  private def checkNotDone(input: Int, found: String): Unit =
    if (done(input))
      throw new IllegalStateException(
        s"Input $input sent $found after it was done; an input that is done may send nothing more."
      )
}

private object KeyedWatermarkCoalescer {
  private final val KeyCount = Byte.MaxValue + 1
}

/**
 * An input sent a watermark that is not above its previous one of the same key.
 *
 * The coalescer that throws this exception is unchanged: the call had no effect. Its message is a
 * sentence with all four values, for example `Input 3 sent watermark 10 for key 0 after watermark
 * 12; the watermarks of one input and key must strictly increase.`
 *
 * @param input
 *   the input that broke the rule, from 0
 * @param key
 *   the watermark key, 0 to 127
 * @param previousMs
 *   the last accepted watermark of that input and key, in epoch ms
 * @param timestampMs
 *   the refused watermark, in epoch ms
 */
final class NonMonotonicWatermarkException(
    val input: Int,
    val key: Byte,
    val previousMs: Long,
    val timestampMs: Long
) extends RuntimeException(
      s"Input $input sent watermark $timestampMs for key $key after watermark $previousMs; " +
        "the watermarks of one input and key must strictly increase."
    )
