package tidegate.core.clock

import tidegate.core.NoWatermark

/**
 * A substream in a checkpoint.
 *
 * @param values
 *   the snapshot of its policy; the first is the watermark of every policy
 * @param activeAtMs
 *   the wall clock when it last showed that it is not silent, in epoch ms; `None` if version 0.1.0
 *   wrote the checkpoint
 */
final case class SavedSubstream(
    name: String,
    values: Vector[Long],
    activeAtMs: Option[Long] = None
) {

  /** In epoch ms; `None` before the first. */
  def watermarkMs: Option[Long] = values.headOption.filter(_ != NoWatermark.Ms)
}
