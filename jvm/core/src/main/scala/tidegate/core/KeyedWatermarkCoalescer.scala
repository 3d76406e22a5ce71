package tidegate.core

import tidegate.core.KeyedWatermarkCoalescer.{KeyCount, checkKey}

/**
 * Coalesces the watermarks of `inputCount` inputs, for all keys.
 *
 *   - The coalesced watermark of a key is the minimum over the active inputs; an active input
 *     without a watermark for the key holds the key back. It is forwarded when it rises above what
 *     was forwarded before, and never goes back. Keys do not influence each other.
 *   - Idleness has no key. An idle input is left out for every key, also for keys seen later. An
 *     event or a watermark makes it active again for every key: its old watermarks count again, and
 *     may hold a key back at the value that was forwarded.
 *   - When the last active input turns idle, the highest observed watermark of every key leaves
 *     first, then `Idle`.
 *   - An input that is done holds nothing back any more, and can not make the result idle.
 *
 * Every method returns what is to be forwarded now: keys in ascending order, `Idle` last, `Nil`
 * when nothing is due. A watermark costs O(log inputCount) and allocates nothing unless something
 * is forwarded; an input that turns idle, active or done costs that once per key. Not thread-safe.
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

  private val states = Array.fill[InputState](inputCount)(InputState.Active)
  private var activeCount = inputCount
  private var idle = false
  private val byKey = new Array[WatermarkCoalescer](KeyCount)

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
   *   if it is not above the previous watermark of this input and key; nothing has changed then
   * @throws java.lang.IllegalArgumentException
   *   if there is no such input, the key is below 0, or the watermark is `Long.MinValue`
   * @throws java.lang.IllegalStateException
   *   if the input is done
   */
  def observeWatermark(input: Int, key: Byte, timestampMs: Long): Seq[WatermarkSignal] = {
    checkWatermark(input, key, timestampMs)
    if (byKey(key) == null) add(key, new WatermarkCoalescer(inputCount))
    val coalescer = byKey(key)
    if (states(input) eq InputState.Active) {
      coalescer.observe(input, timestampMs)
      if (coalescer.forwardMinimum()) Watermark(key, coalescer.forwarded) :: Nil else Nil
    } else {
      activate(input)
      coalescer.observe(input, timestampMs)
      forwardMinima()
    }
  }

  /**
   * Takes in that an ordinary event was seen on an input: an idle input is active again.
   *
   * Returns `Nil`, with one exception: when no input was active, because the last active one was
   * done, the old watermarks of this input may be above the forwarded ones and then leave.
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
    if (states(input) eq InputState.Idle) {
      activate(input)
      forwardMinima()
    } else Nil
  }

  /**
   * Takes in that an input is idle: it is left out of every key until its next event or watermark.
   *
   * Forwards what it was holding back. If no input is active any more, forwards the highest
   * observed watermark of every key that is above the forwarded one, then [[Idle]]. An input that
   * is idle already changes nothing.
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
    if (states(input) eq InputState.Idle) Nil
    else {
      deactivate(input, InputState.Idle)
      idle = activeCount == 0
      if (idle) forwardEach(_.forwardTop(), Idle :: Nil) else forwardMinima()
    }
  }

  /**
   * Takes in that an input will send nothing any more. Forwards what it was holding back.
   *
   * Never forwards [[Idle]], nor anything when no active input is left. An input that is done
   * already changes nothing.
   *
   * Example: one input at 100, the other without a watermark: `observeDone(1)` returns
   * `Seq(Watermark(0, 100))`, and `observeDone(0)` then returns `Nil`.
   *
   * @throws java.lang.IllegalArgumentException
   *   if there is no such input
   */
  def observeDone(input: Int): Seq[WatermarkSignal] = {
    checkInput(input)
    if (states(input) eq InputState.Active) {
      deactivate(input, InputState.Done)
      forwardMinima()
    } else {
      states(input) = InputState.Done
      Nil
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
  def coalesced(key: Byte): Option[Long] =
    known(key).flatMap(c => NoWatermark.toOption(c.forwarded))

  /**
   * The highest watermark of a key on any input, idle and done ones too, in epoch ms; `None` if
   * there was none. A key that was never seen is not created by asking.
   *
   * Example: with two inputs at 10 and 12, `topObserved(0)` is `Some(12)`.
   *
   * @throws java.lang.IllegalArgumentException
   *   if the key is below 0
   */
  def topObserved(key: Byte): Option[Long] = known(key).flatMap(c => NoWatermark.toOption(c.top))

  /**
   * Whether [[Idle]] was forwarded and no input has been active since.
   *
   * Example: false in a new coalescer; with one input, true after `observeIdle(0)` and false again
   * after `observeEvent(0)`.
   */
  def isIdle: Boolean = idle

  /**
   * All that this coalescer knows, as a plain value: [[KeyedWatermarkCoalescer.restore]] makes an
   * equal coalescer from it. Later calls do not change it.
   *
   * Example: `KeyedWatermarkCoalescer.restore(coalescer.snapshot).coalesced(0)` is
   * `coalescer.coalesced(0)`.
   */
  def snapshot: CoalescerSnapshot =
    CoalescerSnapshot(
      states.toVector,
      byKey.indices.iterator
        .filter(byKey(_) != null)
        .map(key => key.toByte -> byKey(key).snapshot)
        .toMap,
      idle
    )

  private def activate(input: Int): Unit = {
    states(input) = InputState.Active
    activeCount += 1
    idle = false
    byKey.foreach(coalescer => if (coalescer != null) coalescer.include(input))
  }

  private def deactivate(input: Int, state: InputState): Unit = {
    states(input) = state
    activeCount -= 1
    byKey.foreach(coalescer => if (coalescer != null) coalescer.exclude(input))
  }

  /**
   * The minimum over no active input is no watermark: that is what keeps a maximum value from being
   * forwarded when all inputs are done.
   */
  private def forwardMinima(): List[WatermarkSignal] =
    if (activeCount == 0) Nil else forwardEach(_.forwardMinimum(), Nil)

  /** Walks the keys downwards, because a list grows at its head. */
  private def forwardEach(
      forward: WatermarkCoalescer => Boolean,
      last: List[WatermarkSignal]
  ): List[WatermarkSignal] = {
    var signals = last
    var key = KeyCount - 1
    while (key >= 0) {
      val coalescer = byKey(key)
      if (coalescer != null && forward(coalescer))
        signals = Watermark(key.toByte, coalescer.forwarded) :: signals
      key -= 1
    }
    signals
  }

  private def add(key: Byte, coalescer: WatermarkCoalescer): Unit = {
    states.indices.foreach { input =>
      if (states(input) eq InputState.Active) coalescer.include(input)
      else coalescer.exclude(input)
    }
    byKey(key) = coalescer
  }

  private def known(key: Byte): Option[WatermarkCoalescer] = {
    checkKey(key)
    Option(byKey(key))
  }

  private def checkWatermark(input: Int, key: Byte, timestampMs: Long): Unit = {
    checkInput(input)
    checkKey(key)
    if (timestampMs == NoWatermark.Ms)
      Arguments.refuse("timestampMs", s"$timestampMs ms", "above that: it stands for none")
    checkNotDone(input, "a watermark")
    val previousMs = if (byKey(key) == null) NoWatermark.Ms else byKey(key).latest(input)
    if (timestampMs <= previousMs)
      throw new NonMonotonicWatermarkException(input, key, previousMs, timestampMs)
  }

  private def checkInput(input: Int): Unit = Arguments.within("input", input, inputCount - 1)

  private def checkNotDone(input: Int, found: String): Unit =
    if (states(input) eq InputState.Done)
      throw new IllegalStateException(
        s"Input $input sent $found after it was done; an input that is done may send nothing more."
      )
}

object KeyedWatermarkCoalescer {

  private val KeyCount = Byte.MaxValue + 1

  private def checkKey(key: Byte): Unit = Arguments.within("key", key, KeyCount - 1)

  /**
   * A coalescer that goes on exactly where the saved one was; its own snapshot equals this one.
   *
   * Example: `KeyedWatermarkCoalescer.restore(coalescer.snapshot)`.
   *
   * @throws java.lang.IllegalArgumentException
   *   if the snapshot has no input, a key below 0, or a key with another number of inputs
   */
  def restore(snapshot: CoalescerSnapshot): KeyedWatermarkCoalescer = {
    val inputCount = snapshot.inputs.size
    val coalescer = new KeyedWatermarkCoalescer(inputCount)
    snapshot.inputs.copyToArray(coalescer.states)
    coalescer.activeCount = snapshot.inputs.count(_ == InputState.Active)
    coalescer.idle = snapshot.isIdle
    snapshot.keys.foreach { case (key, saved) =>
      checkKey(key)
      if (saved.watermarks.size != inputCount)
        Arguments.refuse(
          s"snapshot.keys($key).watermarks",
          s"a list of ${saved.watermarks.size}",
          s"one of $inputCount, the number of inputs"
        )
      val restored = new WatermarkCoalescer(inputCount)
      restored.restore(saved)
      coalescer.add(key, restored)
    }
    coalescer
  }
}
