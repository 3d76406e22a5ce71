package tidegate.columns

import tidegate.core.clock.InputTime

/**
 * Whose watermark a function gives. Known from the analysis on: in a part of a plan, such as the
 * frame of a `foreachBatch`, there is no watermark node to ask.
 *
 * @param node
 *   the name of a watermark
 * @param key
 *   the key of a time column
 * @param input
 *   where its values come from; known once the query starts
 */
private[tidegate] final case class WatermarkSource(
    node: Option[String],
    key: Option[Byte],
    input: Option[InputTime] = None
)
