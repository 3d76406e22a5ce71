package tidegate.core.policy

import tidegate.core.{Arguments, WatermarkEmissionPolicy}

/**
 * Which advances of a watermark become visible.
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

  /** The policy itself, which holds no state. */
  def create(): WatermarkEmissionPolicy =
    if (name == EmissionSpec.ByFrame) WatermarkEmissionPolicy.byFrame(sizeMs, offsetMs)
    else WatermarkEmissionPolicy.byMinStep(sizeMs)
}

object EmissionSpec {
  private val ByFrame = "byFrame"
  private val ByMinStep = "byMinStep"

  /** The names of the emission policies. */
  val names: Seq[String] = Seq(ByFrame, ByMinStep)

  /** Only a watermark that enters a new frame. */
  def byFrame(sizeMs: Long, offsetMs: Long = 0L): EmissionSpec =
    EmissionSpec(ByFrame, sizeMs, offsetMs)

  /** Only a watermark that is at least a step above the last one. */
  def byMinStep(stepMs: Long): EmissionSpec = EmissionSpec(ByMinStep, stepMs, 0L)
}
