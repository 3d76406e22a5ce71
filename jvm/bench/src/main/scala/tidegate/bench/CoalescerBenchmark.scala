package tidegate.bench

import java.util.concurrent.TimeUnit

import org.openjdk.jmh.annotations._
import tidegate.core.{KeyedWatermarkCoalescer, Watermark, WatermarkSignal}

/**
 * Observes one watermark in a coalescer of n inputs and one key, compared with a scan over all
 * inputs.
 *
 * The inputs take turns with rising watermarks, so that every call raises the minimum and forwards
 * it. With `heldBack` the last input stays silent, so that nothing is ever due.
 */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
class CoalescerBenchmark {

  @Param(Array("2", "8", "100", "10000"))
  var inputs: Int = _

  @Param(Array("false", "true"))
  var heldBack: Boolean = _

  private var coalescer: KeyedWatermarkCoalescer = _
  private var scan: ScanCoalescer = _
  private var input: Int = _
  private var speaking: Int = _
  private var timestampMs: Long = _

  @Setup
  def setup(): Unit = {
    coalescer = new KeyedWatermarkCoalescer(inputs)
    scan = new ScanCoalescer(inputs)
    speaking = if (heldBack) inputs - 1 else inputs
    (0 until speaking).foreach { _ =>
      next()
      coalescer.observeWatermark(input, 0, timestampMs)
      scan.observeWatermark(input, timestampMs)
    }
  }

  @Benchmark
  def tree(): Seq[WatermarkSignal] = {
    next()
    coalescer.observeWatermark(input, 0, timestampMs)
  }

  @Benchmark
  def scanOfAllInputs(): Seq[WatermarkSignal] = {
    next()
    scan.observeWatermark(input, timestampMs)
  }

  private def next(): Unit = {
    timestampMs += 1
    input += 1
    if (input >= speaking) input = 0
  }
}

/**
 * The straightforward coalescer: all inputs are active, and each watermark scans all of them.
 */
private final class ScanCoalescer(inputCount: Int) {
  private val latest = Array.fill(inputCount)(Long.MinValue)
  private var forwardedMs = Long.MinValue

  def observeWatermark(input: Int, timestampMs: Long): Seq[WatermarkSignal] = {
    latest(input) = timestampMs
    var minimum = Long.MaxValue
    var i = 0
    while (i < latest.length) {
      minimum = math.min(minimum, latest(i))
      i += 1
    }
    if (minimum > forwardedMs) {
      forwardedMs = minimum
      Watermark(0, minimum) :: Nil
    } else Nil
  }
}
