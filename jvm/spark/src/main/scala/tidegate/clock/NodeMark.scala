package tidegate.clock

/** The visible watermark of a node, in epoch ms. */
final case class NodeMark(key: Byte, watermarkMs: Option[Long], idle: Boolean)
