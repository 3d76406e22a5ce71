package tidegate.clock

/** What a user may see of one substream: its own watermark in epoch ms, and whether it is idle. */
final case class SubstreamView(watermarkMs: Option[Long], idle: Boolean)
