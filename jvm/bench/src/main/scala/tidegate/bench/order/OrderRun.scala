package tidegate.bench.order

import org.json4s.jackson.Serialization
import org.json4s.{DefaultFormats, Formats}
import tidegate.bench.Took

/**
 * The time and the memory of one run.
 *
 * @param cold
 *   whether it was the first query of its process
 * @param stateRows
 *   the largest number of rows in the state at the end of a batch; 0 for the side `foreachBatch`
 * @param peakRssMb
 *   the peak of the process so far; `peakHeapMb` likewise
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

  /** JSON on one line. */
  def json: String = Serialization.write(this)(OrderRun.formats)
}

private[order] object OrderRun {
  private val formats: Formats = DefaultFormats

  def parse(json: String): OrderRun =
    Serialization.read[OrderRun](json)(formats, implicitly[Manifest[OrderRun]])
}
