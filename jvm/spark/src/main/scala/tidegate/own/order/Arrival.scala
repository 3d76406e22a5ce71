package tidegate.own.order

/** When a row happened, and when it came. Arrivals sort as the bytes of their keys do. */
private[order] final class Arrival(val micros: Long, val batchId: Long, val number: Long)
    extends Comparable[Arrival] {

  override def compareTo(other: Arrival): Int =
    Arrival.compare(micros, batchId, number, other.micros, other.batchId, other.number)
}

private[order] object Arrival {

  /** Compares two arrivals without making them. */
  def compare(
      micros: Long,
      batchId: Long,
      number: Long,
      otherMicros: Long,
      otherBatchId: Long,
      otherNumber: Long
  ): Int =
    if (micros != otherMicros) java.lang.Long.compare(micros, otherMicros)
    else if (batchId != otherBatchId) java.lang.Long.compare(batchId, otherBatchId)
    else java.lang.Long.compare(number, otherNumber)
}
