package tidegate.plans

import tidegate.core.clock.{InputTime, JoinTime, NodeTime}
import tidegate.core.policy.{EmissionSpec, PolicySpec}

/**
 * What a user asked of one keyed watermark.
 *
 * @param name
 *   the name of the watermark node: the user's, else the event time column; made unique in plan
 *   order (`orders`, `orders-2`) when the query starts
 * @param emission
 *   when `None`, chosen from the windows downstream when the query starts
 * @param idleTimeoutMs
 *   after how many ms without events a substream is idle; `None` is never
 * @param maxFutureSkewMs
 *   how far ahead of the wall clock an event may be and still move the watermark, in ms
 * @param flush
 *   whether event time ends together with a run that ends by itself
 * @param idleBehindMs
 *   after how many ms without events a substream is idle that is behind the others; `None` is after
 *   `idleTimeoutMs`, as any other
 * @param givenName
 *   the name before it was made unique; functions ask for this name; none if the query has not
 *   started
 * @param lateRows
 *   the folder to which the late rows of this watermark go; `None` if they are only counted
 * @param allowedLatenessMs
 *   how much longer than the watermark says aggregations by windows take rows, in ms
 * @param slowestOf
 *   the names of all watermarks of the query, if the slowest decides what is late for an operator;
 *   `None` if this one does
 */
final case class WatermarkSpec(
    name: String,
    key: Byte,
    policy: PolicySpec,
    emission: Option[EmissionSpec],
    idleTimeoutMs: Option[Long],
    maxFutureSkewMs: Option[Long],
    flush: Boolean = false,
    idleBehindMs: Option[Long] = None,
    givenName: Option[String] = None,
    slowestOf: Option[Seq[String]] = None,
    lateRows: Option[String] = None,
    allowedLatenessMs: Option[Long] = None
) {

  /** The time of the operators that run on this watermark. */
  def time: InputTime = slowestOf.filter(_.size > 1) match {
    case Some(names) =>
      // A silent stream holds back the others, as in Spark.
      val times = names.map(NodeTime(_))
      JoinTime(times, times)
    case None => NodeTime(name)
  }

  /** The spec with a unique name; it keeps the name that it was given. */
  def renamed(unique: String): WatermarkSpec =
    copy(name = unique, givenName = givenName.orElse(Some(name)))

  def isGiven(name: String): Boolean = givenName.getOrElse(this.name) == name
}
