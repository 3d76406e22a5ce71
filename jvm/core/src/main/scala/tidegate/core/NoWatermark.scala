package tidegate.core

/**
 * Represents a missing watermark as the lowest value, where an `Option` would cost an allocation.
 */
private[core] object NoWatermark {

  final val Ms = Long.MinValue

  def toOption(timestampMs: Long): Option[Long] = Option.when(timestampMs != Ms)(timestampMs)
}
