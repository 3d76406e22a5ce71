package tidegate.core

import tidegate.core.policy.{ByFrame, ByMinStep}

/** Decides which advances of an ideal watermark become visible. Keeps no state. */
trait WatermarkEmissionPolicy {

  /**
   * Whether the watermark `currentMs` is to be emitted, unchanged, after `lastEmittedMs`.
   *
   * Example: `WatermarkEmissionPolicy.byMinStep(10).admits(19, Some(10))` is false.
   *
   * @param currentMs
   *   epoch ms; `Long.MinValue` stands for no watermark and is never admitted
   * @param lastEmittedMs
   *   epoch ms; `None` if nothing was emitted yet, and then every watermark is admitted
   */
  def admits(currentMs: Long, lastEmittedMs: Option[Long]): Boolean
}

/**
 * The emission policies. Each method throws `IllegalArgumentException` with a sentence if its size
 * or step is below 1 ms.
 */
object WatermarkEmissionPolicy {

  /**
   * Admits a watermark in a higher frame than the last emitted one; frames are the slices
   * `[n * sizeMs + offsetMs, (n + 1) * sizeMs + offsetMs)` of event time.
   *
   * Example: with frames of 3, 2 then 3 then 4 then 6: all but 4 are admitted.
   *
   * @param sizeMs
   *   ms, at least 1
   * @param offsetMs
   *   ms, of any sign
   */
  def byFrame(sizeMs: Long, offsetMs: Long = 0): WatermarkEmissionPolicy =
    new ByFrame(sizeMs, offsetMs)

  /**
   * Admits a watermark that is at least `stepMs` above the last emitted one.
   *
   * Example: with a step of 10, 20 is admitted after 10, and 19 is not.
   *
   * @param stepMs
   *   ms, at least 1
   */
  def byMinStep(stepMs: Long): WatermarkEmissionPolicy = new ByMinStep(stepMs)
}
