package tidegate.columns

import tidegate.core.WatermarkEmissionPolicy

/**
 * Which advances of a watermark become visible.
 *
 * @param name
 *   `byFrame` or `byMinStep`
 * @param sizeMs
 *   the size of the frame or the smallest step, in ms
 * @param offsetMs
 *   where frame 0 begins, in ms
 */
final case class EmissionSpec(name: String, sizeMs: Long, offsetMs: Long) {

  /** The policy itself; it holds no state. */
  def create(): WatermarkEmissionPolicy =
    if (name == "byFrame") WatermarkEmissionPolicy.byFrame(sizeMs, offsetMs)
    else WatermarkEmissionPolicy.byMinStep(sizeMs)
}

object EmissionSpec {

  /** The names of the emission policies. */
  val names: Seq[String] = Seq("byFrame", "byMinStep")

  /** Every advance that enters another frame `[n * sizeMs + offsetMs, ...)`. */
  def byFrame(sizeMs: Long, offsetMs: Long): EmissionSpec =
    EmissionSpec("byFrame", sizeMs, offsetMs)

  /** Every advance by at least `stepMs`. */
  def byMinStep(stepMs: Long): EmissionSpec = EmissionSpec("byMinStep", stepMs, offsetMs = 0)
}
