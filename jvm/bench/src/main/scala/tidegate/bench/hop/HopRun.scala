package tidegate.bench.hop

import org.json4s.jackson.Serialization
import org.json4s.{DefaultFormats, Formats}
import tidegate.bench.Took

/**
 * What one run of a query took, and what it held.
 *
 * @param cold
 *   whether it was the first query of its process
 * @param frames
 *   whether the query was planned to Tidegate's frames
 * @param stateRows
 *   the most rows that the state held at the end of a batch; so is `stateMb`
 * @param batchMs
 *   the median over the batches
 * @param closingMs
 *   the batches without rows, which only close windows: how long all of them took; `closingBatches`
 *   of them put out `closingRows`
 * @param peakRssMb
 *   of the process so far; so is `peakHeapMb`
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

  /** On one line, in the manner of the other engines' benchmarks. */
  def json: String = Serialization.write(this)(HopRun.formats)
}

private[hop] object HopRun {
  private val formats: Formats = DefaultFormats

  def parse(json: String): HopRun =
    Serialization.read[HopRun](json)(formats, implicitly[Manifest[HopRun]])
}
