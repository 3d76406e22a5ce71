package tidegate.core.policy

import tidegate.core.{Arguments, NoWatermark, Saturating}

/**
 * Which advances of an ideal watermark become visible.
 *
 * @param name
 *   `byFrame` or `byMinStep`
 * @param sizeMs
 *   the size of the frame or the smallest step, in ms
 * @param offsetMs
 *   where frame 0 begins, in ms; 0 for `byMinStep`
 * @throws java.lang.IllegalArgumentException
 *   if there is no such policy, or if the size is below 1 ms
 */
final case class EmissionSpec(name: String, sizeMs: Long, offsetMs: Long) {

  if (!EmissionSpec.names.contains(name))
    Arguments.refuse("name", s"'$name'", EmissionSpec.names.mkString("one of ", ", ", ""))
  Arguments.atLeast("sizeMs", sizeMs, 1, "ms")

  /**
   * Whether the watermark `currentMs` is to be emitted, unchanged, after `lastEmittedMs`.
   *
   * @param currentMs
   *   epoch ms; `Long.MinValue` stands for no watermark and is never admitted
   * @param lastEmittedMs
   *   epoch ms; `None` if nothing was emitted yet, and then every watermark is admitted
   */
  def admits(currentMs: Long, lastEmittedMs: Option[Long]): Boolean =
    currentMs != NoWatermark.Ms && lastEmittedMs.forall { lastMs =>
      if (name == EmissionSpec.ByFrame) frame(currentMs) > frame(lastMs)
      else Saturating.subtract(currentMs, lastMs) >= sizeMs
    }

  /**
   * The number of the frame `[n * sizeMs + offsetMs, (n + 1) * sizeMs + offsetMs)` of a time.
   * Divides before it applies the offset, because times near the lowest value would wrap around
   * otherwise.
   */
  private def frame(timestampMs: Long): Long = {
    val frame = math.floorDiv(timestampMs, sizeMs)
    if (math.floorMod(timestampMs, sizeMs) < math.floorMod(offsetMs, sizeMs)) frame - 1 else frame
  }
}

object EmissionSpec {
  private val ByFrame = "byFrame"
  private val ByMinStep = "byMinStep"

  /** The names of the emission policies. */
  val names: Seq[String] = Seq(ByFrame, ByMinStep)

  /** Only a watermark in a higher frame: with frames of 3, of 2, 3, 4 and 6 all but 4. */
  def byFrame(sizeMs: Long, offsetMs: Long = 0L): EmissionSpec =
    EmissionSpec(ByFrame, sizeMs, offsetMs)

  /** Only a watermark at least a step above the last one: with a step of 10 not 19 after 10. */
  def byMinStep(stepMs: Long): EmissionSpec = EmissionSpec(ByMinStep, stepMs, 0L)
}
