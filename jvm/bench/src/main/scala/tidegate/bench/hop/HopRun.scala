package tidegate.bench.hop

import org.json4s.jackson.Serialization
import org.json4s.{DefaultFormats, Formats}
import tidegate.bench.Took

/**
 * The time and the memory of one run of a query.
 *
 * @param cold
 *   whether it was the first query of its process
 * @param frames
 *   whether the query was planned to Tidegate's frames
 * @param stateRows
 *   the largest number of rows in the state at the end of a batch; `stateMb` likewise
 * @param batchMs
 *   the median time over the batches
 * @param closingMs
 *   how long all batches without rows took, which only close windows; there were `closingBatches`
 *   of them, and they emitted `closingRows`
 * @param peakRssMb
 *   the peak of the process so far; `peakHeapMb` likewise
 */
private[hop] final case class HopRun(
    side: String,
    state: String,
    cold: Boolean,
    frames: Boolean,
    rows: Long,
    keys: Int,
    sizeSeconds: Int,
    wallSeconds: Double,
    cpuSeconds: Double,
    rowsPerSecond: Long,
    outputRows: Long,
    batches: Int,
    batchMs: Double,
    closingBatches: Int,
    closingMs: Double,
    closingRows: Long,
    stateRows: Long,
    stateMb: Double,
    shuffledRows: Long,
    shuffledMb: Double,
    peakRssMb: Long,
    peakHeapMb: Long,
    load: Double
) {
  def took: Took = Took(wallSeconds, cpuSeconds)

  /** JSON on one line, in the format of the other engines' benchmarks. */
  def json: String = Serialization.write(this)(HopRun.formats)
}

private[hop] object HopRun {
  private val formats: Formats = DefaultFormats

  def parse(json: String): HopRun =
    Serialization.read[HopRun](json)(formats, implicitly[Manifest[HopRun]])
}
