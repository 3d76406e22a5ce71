package tidegate.statistics

/**
 * A number for each partition of a batch.
 *
 * The object is immutable, so that one thread can read it while another one counts. The count of a
 * partition is a maximum over its attempts: retries, and a second action on the same batch, count a
 * row once.
 */
private[statistics] final case class PartitionCounts(byPartition: Map[Int, Long]) {

  def total: Long = byPartition.values.sum

  def isEmpty: Boolean = byPartition.isEmpty

  /** The counts with one more in a partition. */
  def increased(partition: Int): PartitionCounts =
    PartitionCounts(byPartition.updated(partition, byPartition.getOrElse(partition, 0L) + 1))

  /** The higher count of each partition. */
  def max(other: PartitionCounts): PartitionCounts =
    PartitionCounts(other.byPartition.foldLeft(byPartition) { case (counts, (partition, n)) =>
      counts.updated(partition, math.max(n, counts.getOrElse(partition, 0L)))
    })
}

private[statistics] object PartitionCounts {
  val none: PartitionCounts = PartitionCounts(Map.empty)
}
