package tidegate.statistics

/**
 * Counts the late rows of one pass over a partition. One thread counts; another one may read at any
 * time, so the count is one immutable value.
 *
 * @param partition
 *   the number of the partition among those of the operator
 * @param onFirst
 *   called before the first row is counted
 */
final class LatePass private[statistics] (
    private[statistics] val partition: Int,
    @transient onFirst: LatePass => Unit
) extends Serializable {

  @volatile private var found = LateCount.none

  private[statistics] def count: LateCount = found

  /** Counts a row, and keeps its text if only a few are kept so far. */
  def drop(text: => String): Unit = {
    val before = found
    if (before.rows == 0L) onFirst(this)
    found =
      if (before.samples.size < LateRows.MaxSamples) {
        LateCount(before.rows + 1, before.samples :+ text)
      } else before.copy(rows = before.rows + 1)
  }
}
