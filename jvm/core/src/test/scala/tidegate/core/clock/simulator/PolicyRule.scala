package tidegate.core.clock.simulator

import tidegate.core.clock.simulator.PolicyRule._
import tidegate.core.policy.PolicySpec

/**
 * The watermark of a substream, computed anew from all that its policy was ever told.
 *
 * `PolicyOracle` has the same rules for the policies alone; here they stand for one pass over long
 * histories, and know of pauses and of append times.
 */
private[simulator] final class PolicyRule(policy: PolicySpec) {
  private val lagMs = policy.durationsMs.head
  private val secondMs = policy.durationsMs.last

  /** Whether a time may be reached early, so that the rule has two bounds. */
  val isApproximate: Boolean =
    policy.name == "limitingLagAndDelay" && secondMs > DelayBuckets

  def apply(told: Vector[Seen]): Bounds = policy.name match {
    case "fixedLag"                         => exactly(highestEvent(told, lagMs))
    case "limitingLagAndDelay"              => delay(told)
    case "limitingLagAndLull"               => exactly(lull(told))
    case "limitingTimestampAndWallClockLag" =>
      exactly(math.max(highestEvent(told, lagMs), highestWall(told, secondMs)))
    case PolicySpec.IngestionTime =>
      // A row of the same millisecond may follow.
      exactly(math.max(highestEvent(told, lagMs + 1), highestWall(told, lagMs + secondMs)))
    case other => throw new IllegalArgumentException(s"no rule for the policy $other")
  }

  private def highestEvent(told: Vector[Seen], lagMs: Long): Long =
    told.foldLeft(None)((top, t) => if (t.isEvent) math.max(top, t.eventMs - lagMs) else top)

  private def highestWall(told: Vector[Seen], lagMs: Long): Long =
    told.foldLeft(None)((top, t) => if (t.wallMs == None) top else math.max(top, t.wallMs - lagMs))

  /** From the watermark that was visible at the last event, plus the silence past the lull. */
  private def lull(told: Vector[Seen]): Long = {
    var (nowMs, atEventMs, eventAtMs, visibleMs) = (None, None, None, None)
    told.foreach { t =>
      nowMs = math.max(nowMs, t.runMs)
      if (t.isEvent) {
        atEventMs = math.max(visibleMs, t.eventMs - lagMs)
        eventAtMs = nowMs
      }
      if (atEventMs != None) visibleMs = atEventMs + math.max(0, nowMs - eventAtMs - secondMs)
    }
    visibleMs
  }

  /**
   * A time counts in full once the delay has passed since it was observed, or by less than a
   * sixteenth of the delay earlier.
   */
  private def delay(told: Vector[Seen]): Bounds = {
    val early = math.max(0L, (secondMs + DelayBuckets - 1) / DelayBuckets - 1)
    val latestMs = told.foldLeft(None)((latest, t) => math.max(latest, t.runMs))
    def reached(delayMs: Long) = {
      var (nowMs, topMs) = (None, None)
      told.foreach { t =>
        nowMs = math.max(nowMs, t.runMs)
        if (t.isEvent && nowMs + delayMs <= latestMs) topMs = math.max(topMs, t.eventMs)
      }
      topMs
    }
    val lagging = highestEvent(told, lagMs)
    val lowMs = math.max(lagging, reached(secondMs))
    Bounds(lowMs, if (early == 0L) lowMs else math.max(lagging, reached(secondMs - early)))
  }

  private def exactly(ms: Long) = Bounds(ms, ms)
}

private[simulator] object PolicyRule {

  /** In place of a missing time. */
  final val None = Long.MinValue

  private val DelayBuckets = 16

  /**
   * What a policy is told: an event, or only the time.
   *
   * @param eventMs
   *   the time of the event
   * @param wallMs
   *   the wall clock; for append times the moment up to which the substream is read
   * @param runMs
   *   the wall clock without the pauses of the query
   */
  final case class Seen(eventMs: Long, wallMs: Long, runMs: Long) {
    def isEvent: Boolean = eventMs != None
  }

  final case class Bounds(lowMs: Long, highMs: Long)
}
