package tidegate.kafka

/**
 * A minute of events on eight partitions, in order on each but for four seconds: one is ten minutes
 * behind, one falls silent after its first events, of one most events come only when the others
 * have been read, more of them than a batch may read, and one is added with these.
 */
object SkewedTopic {
  val Behind = 4
  val Silent = 5
  val Slow = 6
  val Added = 7

  /** What a batch may read. */
  val limit: (String, String) = "maxOffsetsPerTrigger" -> "250"

  private val FirstOfSlow = 5

  private val slow: Seq[KafkaRecord] = minute(Slow, perSecond = 10)

  /** On all partitions but the one that is added. */
  val first: Seq[KafkaRecord] =
    (0 to Behind).flatMap(minute(_)) ++ minute(Silent).take(5) ++ slow.take(FirstOfSlow)

  /** When the first events have been read. */
  val later: Seq[KafkaRecord] = slow.drop(FirstOfSlow) ++ minute(Added)

  /** Ends all windows of the minute, where time follows these partitions. */
  def last(partitions: Seq[Int]): Seq[KafkaRecord] = partitions.map(event(_, 2000))

  private def minute(partition: Int, perSecond: Int = 2): Seq[KafkaRecord] = {
    val start = if (partition == Behind) 400 else 1000
    (0 until 60 * perSecond).map { n =>
      event(partition, start + n.toDouble / perSecond + (n * 7 % 9) * 0.5)
    }
  }

  private def event(partition: Int, second: Double): KafkaRecord =
    KafkaRecord(partition, (second * 1000).toLong, "")
}
