package tidegate

import tidegate.core.{WatermarkEmissionPolicy, WatermarkPolicy}

/**
 * A watermark policy as the user chose it; every substream gets an instance of its own.
 *
 * @param name
 *   one of `PolicySpec.names`
 * @param durationsMs
 *   its durations in ms, in the order of its arguments; the first is the lag
 */
final case class PolicySpec private[tidegate] (name: String, durationsMs: Seq[Long]) {

  /** The lag behind event time, in ms: what Spark calls the delay of the watermark. */
  def lagMs: Long = durationsMs.head

  /**
   * Whether it goes by the times at which rows were appended to their substreams. Without rows it
   * follows the moment up to which a substream is read, not the wall clock.
   */
  def isIngestionTime: Boolean = name == PolicySpec.IngestionTime

  /** A new instance, for one substream. */
  def create(): WatermarkPolicy = PolicySpec.kinds(name).create(durationsMs)

  override def toString: String = durationsMs.mkString(s"$name(", " ms, ", " ms)")
}

object PolicySpec {

  /** The policy for the times at which rows were appended. */
  private[tidegate] val IngestionTime = "ingestionTime"

  private val DefaultMaxIdleLag = "10 seconds"

  private final case class Kind(arguments: Seq[String])(val create: Seq[Long] => WatermarkPolicy)

  private val kinds = Map(
    "fixedLag" -> Kind(Seq("lag"))(d => WatermarkPolicy.fixedLag(d.head)),
    "limitingLagAndDelay" ->
      Kind(Seq("lag", "maxDelay"))(d => WatermarkPolicy.limitingLagAndDelay(d(0), d(1))),
    "limitingLagAndLull" ->
      Kind(Seq("lag", "maxLull"))(d => WatermarkPolicy.limitingLagAndLull(d(0), d(1))),
    "limitingTimestampAndWallClockLag" -> Kind(Seq("timestampLag", "wallClockLag"))(d =>
      WatermarkPolicy.limitingTimestampAndWallClockLag(d(0), d(1))
    ),
    // On the times of appending, with the moment up to which a substream is read for a wall clock:
    // after a row of 12:00:05 come rows of 12:00:05 and later, so only what is below has passed.
    IngestionTime -> Kind(Seq("maxEventTimeLag", "maxIdleLag"))(d =>
      WatermarkPolicy.limitingTimestampAndWallClockLag(
        Math.addExact(d(0), 1L),
        Math.addExact(d(0), d(1))
      )
    )
  )

  /** The names of the policies for event times. */
  val names: Seq[String] = kinds.keys.filter(_ != IngestionTime).toSeq.sorted

  /** The names of the policies in SQL. */
  private[tidegate] val allNames: Seq[String] = names :+ IngestionTime

  /**
   * A policy by its name.
   *
   * @throws AnalysisException
   *   if there is none of that name and number of arguments, or if a duration cannot be read or is
   *   negative
   */
  def of(name: String, durations: Seq[String]): PolicySpec = (name, durations) match {
    case (IngestionTime, Seq(lag)) => named(name, Seq(lag, DefaultMaxIdleLag))
    case _                         => named(name, durations)
  }

  private def named(name: String, durations: Seq[String]): PolicySpec =
    kinds.get(name).map(_.arguments).filter(_.size == durations.size) match {
      case Some(known) =>
        new PolicySpec(
          name,
          known.zip(durations).map { case (argument, text) =>
            Durations.parseMs(argument, text, smallestMs = 0)
          }
        )
      case None =>
        val found = durations.map(d => s"'$d'").mkString(s"$name(", ", ", ")")
        throw TidegateErrors.unknownPolicy("watermark policy", found, names)
    }
}

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
final case class EmissionSpec private[tidegate] (name: String, sizeMs: Long, offsetMs: Long) {

  /** The policy itself; it holds no state. */
  def create(): WatermarkEmissionPolicy =
    if (name == "byFrame") WatermarkEmissionPolicy.byFrame(sizeMs, offsetMs)
    else WatermarkEmissionPolicy.byMinStep(sizeMs)
}

object EmissionSpec {

  /** The names of the emission policies. */
  val names: Seq[String] = Seq("byFrame", "byMinStep")

  /**
   * An emission policy by its name: `byFrame(size [, offset])` or `byMinStep(step)`.
   *
   * @throws AnalysisException
   *   if there is none of that name and number of arguments, or if a duration cannot be read or is
   *   below 1 ms
   */
  def of(name: String, durations: Seq[String]): EmissionSpec = (name, durations) match {
    case ("byFrame", Seq(size))         => frame(size, "0 seconds")
    case ("byFrame", Seq(size, offset)) => frame(size, offset)
    case ("byMinStep", Seq(step))       =>
      new EmissionSpec(name, Durations.parseMs("step", step, smallestMs = 1), offsetMs = 0)
    case _ =>
      val found = durations.map(d => s"'$d'").mkString(s"$name(", ", ", ")")
      throw TidegateErrors.unknownPolicy("emission", found, names)
  }

  private def frame(size: String, offset: String): EmissionSpec =
    new EmissionSpec(
      "byFrame",
      Durations.parseMs("size", size, smallestMs = 1),
      Durations.parseMs("offset", offset, smallestMs = Long.MinValue)
    )
}
