package tidegate

import tidegate.request.Policies

/**
 * The watermark policies and emissions.
 *
 * A *policy* says how far the watermark of a substream follows the times seen on it and the wall
 * clock. An *emission* says which advances of that watermark become visible.
 *
 * Durations are Spark interval texts of whole milliseconds, such as `"5 seconds"`. Each function
 * throws an `AnalysisException` that names the argument if a duration cannot be read or is too
 * small.
 */
private[tidegate] trait PolicyFunctions {

  /**
   * Keeps the watermark `lag` behind the highest event time seen.
   *
   * {{{
   * df.withKeyedWatermark("order_time", policy = fixedLag("5 seconds"))
   * }}}
   *
   * @param lag
   *   event time, 0 or more, by which a row may trail the newest row of its substream
   * @return
   *   for the argument `policy` of `withKeyedWatermark`, whose argument `lag` is a shorthand for
   *   this policy
   * @throws AnalysisException
   *   if the duration cannot be read or is negative
   */
  def fixedLag(lag: String): PolicySpec = Policies.policy("fixedLag", Seq(lag))

  /**
   * As `fixedLag`, but the watermark reaches every event time within `maxDelay` after that time was
   * seen.
   *
   * {{{
   * df.withKeyedWatermark("order_time", policy = limitingLagAndDelay("5 seconds", "30 seconds"))
   * }}}
   *
   * @param lag
   *   event time, 0 or more, by which the watermark trails the highest event time seen
   * @param maxDelay
   *   wall-clock time, 0 or more, within which the watermark reaches an event time that was seen,
   *   even if no newer row follows
   * @return
   *   for the argument `policy` of `withKeyedWatermark`
   * @throws AnalysisException
   *   if a duration cannot be read or is negative
   */
  def limitingLagAndDelay(lag: String, maxDelay: String): PolicySpec =
    Policies.policy("limitingLagAndDelay", Seq(lag, maxDelay))

  /**
   * As `fixedLag`, but keeps time moving when no row has arrived for `maxLull`.
   *
   * During a lull the watermark advances at the speed of the wall clock, from its last value. Any
   * row ends the lull. A substream on which no row was ever seen has no watermark.
   *
   * {{{
   * df.withKeyedWatermark("order_time", policy = limitingLagAndLull("5 seconds", "1 minute"))
   * }}}
   *
   * @param lag
   *   event time, 0 or more, by which the watermark trails the highest event time seen
   * @param maxLull
   *   wall-clock time without a row, 0 or more, after which the watermark moves by itself
   * @return
   *   for the argument `policy` of `withKeyedWatermark`
   * @throws AnalysisException
   *   if a duration cannot be read or is negative
   */
  def limitingLagAndLull(lag: String, maxLull: String): PolicySpec =
    Policies.policy("limitingLagAndLull", Seq(lag, maxLull))

  /**
   * Takes the later of two times: one trails the highest event time, the other the wall clock.
   *
   * {{{
   * df.withKeyedWatermark(
   *   "order_time", policy = limitingTimestampAndWallClockLag("5 seconds", "1 minute"))
   * }}}
   *
   * @param timestampLag
   *   event time, 0 or more, by which the watermark trails the highest event time seen
   * @param wallClockLag
   *   the most by which the watermark trails the wall clock, 0 or more
   * @return
   *   for the argument `policy` of `withKeyedWatermark`
   * @throws AnalysisException
   *   if a duration cannot be read or is negative
   */
  def limitingTimestampAndWallClockLag(timestampLag: String, wallClockLag: String): PolicySpec =
    Policies.policy("limitingTimestampAndWallClockLag", Seq(timestampLag, wallClockLag))

  /**
   * Shows the watermark when it enters a new frame of event time.
   *
   * {{{
   * df.withKeyedWatermark("order_time", "5 seconds", emission = byFrame("10 seconds"))
   * }}}
   *
   * @param size
   *   the length of the frames, at least 1 ms. A frame is
   *   `[n * size + offset, (n + 1) * size + offset)`
   * @param offset
   *   by how much the frames are shifted, negative to shift them back; 0 by default
   * @return
   *   for the argument `emission` of `withKeyedWatermark` and `withIngestionWatermark`
   * @throws AnalysisException
   *   if a duration cannot be read, or if `size` is below 1 ms
   */
  def byFrame(size: String, offset: String = "0 seconds"): EmissionSpec =
    Policies.emission("byFrame", Seq(size, offset))

  /**
   * Shows the watermark when it is at least `step` ahead of the value shown last.
   *
   * {{{
   * df.withKeyedWatermark("order_time", "5 seconds", emission = byMinStep("1 second"))
   * }}}
   *
   * @param step
   *   the smallest advance that becomes visible, at least 1 ms
   * @return
   *   for the argument `emission` of `withKeyedWatermark` and `withIngestionWatermark`
   * @throws AnalysisException
   *   if the duration cannot be read or is below 1 ms
   */
  def byMinStep(step: String): EmissionSpec = Policies.emission("byMinStep", Seq(step))
}
