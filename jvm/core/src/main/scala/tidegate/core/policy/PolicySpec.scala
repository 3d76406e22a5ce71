package tidegate.core.policy

import tidegate.core.{Arguments, Saturating}

/**
 * A watermark policy as the user chose it; every substream gets an instance of its own.
 *
 * @param name
 *   one of `PolicySpec.allNames`
 * @param durationsMs
 *   the durations of the policy in ms, in the order of `PolicySpec.arguments`; the first is the lag
 * @throws java.lang.IllegalArgumentException
 *   if there is no such policy, if the number of durations is wrong, or if one is below 0
 */
final case class PolicySpec(name: String, durationsMs: Seq[Long]) {

  PolicySpec.check(name, durationsMs)

  /** The lag behind event time, in ms: what Spark calls the delay of the watermark. */
  def lagMs: Long = durationsMs.head

  /**
   * Whether the policy uses the times at which rows were appended to their substreams. Without rows
   * it follows the moment up to which a substream is read, not the wall clock.
   */
  def isIngestionTime: Boolean = name == PolicySpec.IngestionTime

  /** Whether the watermark of the policy can move without an event. */
  lazy val dependsOnWallClock: Boolean = create().dependsOnWallClock

  /** A new instance, for one substream. */
  def create(): WatermarkPolicy = PolicySpec.kinds(name).create(durationsMs)

  override def toString: String = durationsMs.mkString(s"$name(", " ms, ", " ms)")
}

object PolicySpec {

  /** The policy for the times at which rows were appended. */
  val IngestionTime = "ingestionTime"

  private final case class Kind(arguments: Seq[String])(val create: Seq[Long] => WatermarkPolicy)

  private val kinds = Map(
    "fixedLag" -> Kind(Seq("lag"))(d => new FixedLag(d.head)),
    "limitingLagAndDelay" ->
      Kind(Seq("lag", "maxDelay"))(d => new LimitingLagAndDelay(d(0), d(1))),
    "limitingLagAndLull" ->
      Kind(Seq("lag", "maxLull"))(d => new LimitingLagAndLull(d(0), d(1))),
    "limitingTimestampAndWallClockLag" -> Kind(Seq("timestampLag", "wallClockLag"))(d =>
      new LimitingTimestampAndWallClockLag(d(0), d(1))
    ),
    // Observes append times; its wall clock is the moment up to which a substream is read. After a
    // row of 12:00:05 come rows of 12:00:05 and later, so only earlier times have passed.
    IngestionTime -> Kind(Seq("maxEventTimeLag", "maxIdleLag"))(d =>
      new LimitingTimestampAndWallClockLag(
        Saturating.add(d(0), 1L),
        Saturating.add(d(0), d(1))
      )
    )
  )

  /** The names of the policies for event times. */
  val names: Seq[String] = kinds.keys.filter(_ != IngestionTime).toSeq.sorted

  /** The names of all policies. */
  val allNames: Seq[String] = names :+ IngestionTime

  /** The names of a policy's durations, in their order; `None` if there is no such policy. */
  def arguments(name: String): Option[Seq[String]] = kinds.get(name).map(_.arguments)

  private def check(name: String, durationsMs: Seq[Long]): Unit = {
    val wanted = arguments(name).getOrElse {
      Arguments.refuse("name", s"'$name'", allNames.mkString("one of ", ", ", ""))
    }
    if (durationsMs.size != wanted.size)
      Arguments.refuse(
        "durationsMs",
        s"a list of ${durationsMs.size}",
        wanted.mkString(s"one of ${wanted.size}: ", ", ", "")
      )
    wanted.zip(durationsMs).foreach { case (argument, ms) =>
      Arguments.atLeast(argument, ms, 0, "ms")
    }
  }
}
