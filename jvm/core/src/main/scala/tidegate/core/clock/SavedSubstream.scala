package tidegate.core.clock

import tidegate.core.NoWatermark

/**
 * A substream in a checkpoint.
 *
 * @param values
 *   the snapshot of its policy; the first is the watermark of every policy
 * @param activeAtMs
 *   the wall clock when it last showed that it is not silent, in epoch ms
 */
final case class SavedSubstream(
    name: String,
    values: Vector[Long],
    activeAtMs: Long
) {

  /** In epoch ms; `None` before the first. */
  def watermarkMs: Option[Long] = values.headOption.filter(_ != NoWatermark.Ms)
}
