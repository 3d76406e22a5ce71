package tidegate.execution.order

/** When a row happened, and when it came. Arrivals sort as the bytes of their keys do. */
private[order] final class Arrival(val micros: Long, val batchId: Long, val number: Long)
    extends Comparable[Arrival] {

  override def compareTo(other: Arrival): Int =
    if (micros != other.micros) java.lang.Long.compare(micros, other.micros)
    else if (batchId != other.batchId) java.lang.Long.compare(batchId, other.batchId)
    else java.lang.Long.compare(number, other.number)
}
