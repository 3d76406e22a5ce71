package tidegate.statistics

/**
 * The late rows of each partition of an operator.
 *
 * @param rows
 *   the highest number that a pass over the partition found
 * @param total
 *   the sum of the numbers
 * @param samples
 *   the first rows of a few partitions, as lines for the log: those of all partitions would fill
 *   the driver's memory
 */
private[statistics] final case class LateCounts(
    rows: Map[Int, Long],
    total: Long,
    samples: Map[Int, Vector[String]]
) {

  /** The counts with those of one more pass over a partition. */
  def withPass(partition: Int, pass: LateCount): LateCounts = {
    val before = rows.getOrElse(partition, 0L)
    if (pass.rows <= before) this
    else {
      val isKept = samples.contains(partition) || samples.size < LateRows.MaxSamples
      LateCounts(
        rows.updated(partition, pass.rows),
        total + pass.rows - before,
        if (isKept) samples.updated(partition, pass.samples) else samples
      )
    }
  }

  /** The higher count of each partition. */
  def max(other: LateCounts): LateCounts =
    other.rows.foldLeft(this) { case (counts, (partition, n)) =>
      counts.withPass(partition, LateCount(n, other.samples.getOrElse(partition, Vector.empty)))
    }

  /** At most `LateRows.MaxSamples` of the samples. */
  def someSamples: Seq[String] =
    samples.toSeq.sortBy(_._1).flatMap(_._2).take(LateRows.MaxSamples)
}

private[statistics] object LateCounts {
  val none: LateCounts = LateCounts(Map.empty, 0L, Map.empty)
}
