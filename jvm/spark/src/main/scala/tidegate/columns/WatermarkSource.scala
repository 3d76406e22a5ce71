package tidegate.columns

import tidegate.core.clock.InputTime

/**
 * The watermark that a function returns. Determined in the analysis, because a part of a plan, such
 * as the DataFrame of a `foreachBatch`, has no watermark node.
 *
 * @param node
 *   the name of a watermark
 * @param key
 *   the key of a time column
 * @param input
 *   where the values come from; known once the query starts
 */
private[tidegate] final case class WatermarkSource(
    node: Option[String],
    key: Option[Byte],
    input: Option[InputTime] = None
)
