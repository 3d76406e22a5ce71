package tidegate.columns

import tidegate.core.WatermarkPolicy

/**
 * A watermark policy as the user chose it; every substream gets an instance of its own.
 *
 * @param name
 *   one of `PolicySpec.names`
 * @param durationsMs
 *   its durations in ms, in the order of its arguments; the first is the lag
 */
final case class PolicySpec(name: String, durationsMs: Seq[Long]) {

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
  val IngestionTime = "ingestionTime"

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
  val allNames: Seq[String] = names :+ IngestionTime

  /** The arguments of a policy, by its name; `None` if there is no such policy. */
  def arguments(name: String): Option[Seq[String]] = kinds.get(name).map(_.arguments)

  /** The watermark is the highest time minus `lagMs`. */
  def fixedLag(lagMs: Long): PolicySpec = PolicySpec("fixedLag", Seq(lagMs))
}
