package tidegate.core.figures

import tidegate.core.policy.{EmissionSpec, PolicySpec}

/**
 * The settings in force of a keyed watermark: what the user gave, and the defaults for the rest.
 *
 * @param substream
 *   the columns that name its substreams
 * @param emission
 *   what the user asked for, or what was chosen from the windows downstream
 * @param lateRows
 *   the folder to which late rows go
 * @param forgetAfterMs
 *   after how long an idle substream is forgotten
 * @param stallMs
 *   for how long time may be held in one place before it is stalled; `None` is never
 */
final case class WatermarkSettings(
    substream: Seq[String],
    policy: PolicySpec,
    emission: EmissionSpec,
    idleTimeoutMs: Option[Long],
    idleBehindMs: Option[Long],
    maxFutureSkewMs: Option[Long],
    allowedLatenessMs: Option[Long],
    flush: Boolean,
    lateRows: Option[String],
    forgetAfterMs: Option[Long],
    stallMs: Option[Long]
) {

  /** By name, as a person reads them. */
  def texts: Seq[(String, String)] = {
    def span(ms: Option[Long], without: String) = ms.fold(without)(Words.exactly)
    val durations = PolicySpec.arguments(policy.name).getOrElse(Nil).zip(policy.durationsMs)
    Seq(
      "lag" -> Words.exactly(policy.lagMs),
      "policy" -> durations
        .map { case (name, ms) => s"$name ${Words.exactly(ms)}" }
        .mkString(s"${policy.name}(", ", ", ")"),
      "emission" -> s"${emission.name}(${Words.exactly(emission.sizeMs)})",
      "substream" -> (if (substream.isEmpty) "none: undivided" else substream.mkString(", ")),
      "idleTimeout" -> span(idleTimeoutMs, "never"),
      "idleBehind" -> span(idleBehindMs, "as idleTimeout"),
      "maxFutureSkew" -> span(maxFutureSkewMs, "no limit"),
      "allowedLateness" -> span(allowedLatenessMs, "none"),
      "lateRows" -> lateRows.getOrElse("only counted"),
      "flush" -> (if (flush) "yes" else "no"),
      "forgetAfter" -> span(forgetAfterMs, "never"),
      "stallWarning" -> span(stallMs, "never")
    )
  }
}
