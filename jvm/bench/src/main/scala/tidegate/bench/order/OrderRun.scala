package tidegate.bench.order

import org.json4s.jackson.Serialization
import org.json4s.{DefaultFormats, Formats}
import tidegate.bench.Took

/**
 * What one run took, and what it held.
 *
 * @param cold
 *   whether it was the first query of its process
 * @param stateRows
 *   the most rows that the state held at the end of a batch; none by hand
 * @param peakRssMb
 *   of the process so far; so is `peakHeapMb`
 */
private[order] final case class OrderRun(
    side: String,
    state: String,
    cold: Boolean,
    rows: Long,
    wallSeconds: Double,
    cpuSeconds: Double,
    rowsPerSecond: Long,
    batches: Int,
    stateRows: Long,
    stateMb: Double,
    peakRssMb: Long,
    peakHeapMb: Long
) {
  def took: Took = Took(wallSeconds, cpuSeconds)

  /** On one line. */
  def json: String = Serialization.write(this)(OrderRun.formats)
}

private[order] object OrderRun {
  private val formats: Formats = DefaultFormats

  def parse(json: String): OrderRun =
    Serialization.read[OrderRun](json)(formats, implicitly[Manifest[OrderRun]])
}
