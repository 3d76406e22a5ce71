package tidegate.core

/** How no watermark is kept where an `Option` would cost an allocation: as the lowest value. */
private[core] object NoWatermark {

  final val Ms = Long.MinValue

  def toOption(timestampMs: Long): Option[Long] = Option.when(timestampMs != Ms)(timestampMs)
}
