package tidegate.core.clock

import scala.collection.mutable

import tidegate.core.KeyedWatermarkCoalescer

/**
 * The watermark of every operator at one moment, computed from the watermarks of the nodes.
 *
 *   - A union has the time that a [[KeyedWatermarkCoalescer]] forwards for its inputs: the minimum
 *     over those that are not idle, or the highest watermark if all are. Its time never falls: an
 *     input that becomes active again holds it where it is.
 *   - A join has, for each key, the minimum over the times and limits; idle inputs are not left
 *     out, because the state of the join still has their rows.
 *   - The watermarks of an operator never fall.
 *
 * @param nodes
 *   the time of a watermark node by its name
 * @param remembered
 *   the previous values of the unions
 */
private[clock] final class OperatorTimes(
    nodes: String => Time,
    remembered: Map[CoalescedTime, Long]
) {
  import OperatorTimes.OnlyKey

  private val unions = mutable.HashMap.from(remembered)
  private val times = mutable.HashMap.empty[InputTime, Time]

  /** The values of the unions that were computed, and of those remembered before. */
  def coalesced: Map[CoalescedTime, Long] = unions.toMap

  /** The next marks, after the marks in `before`. */
  def advance(
      operators: Seq[OperatorSpec],
      before: Map[String, OperatorMark]
  ): Map[String, OperatorMark] =
    operators.map { op =>
      val now = time(op.input)
      val previous = before.get(op.name)
      op.name -> OperatorMark(
        op.key,
        (previous.flatMap(_.watermarkMs) ++ now.watermarkMs).maxOption,
        (previous.flatMap(_.evictionMs) ++ op.eviction.flatMap(time(_).watermarkMs)).maxOption,
        now.idle,
        op.frames,
        op.gapMicros
      )
    }.toMap

  /**
   * The value of a time. Computed once, because the times of chained joins contain the same parts
   * many times.
   */
  def time(input: InputTime): Time = times.getOrElse(
    input, {
      val computed = compute(input)
      times(input) = computed
      computed
    }
  )

  private def compute(input: InputTime): Time = input match {
    case NodeTime(name)          => nodes(name)
    case union: CoalescedTime    => coalesce(union)
    case GridTime(of, grid)      => mapped(of)(grid.lastEnd)
    case BehindTime(of, byMs)    => mapped(of)(_ - byMs)
    case TightestTime(inputs)    => inputs.map(time).maxBy(_.watermarkMs)
    case JoinTime(inputs, sides) =>
      // A time without a watermark is the lowest.
      inputs.map(time).minBy(_.watermarkMs).copy(idle = sides.forall(time(_).idle))
  }

  private def mapped(input: InputTime)(change: Long => Long): Time = {
    val t = time(input)
    t.copy(watermarkMs = t.watermarkMs.map(change))
  }

  private def coalesce(union: CoalescedTime): Time = {
    val inputs = union.inputs.map(time).toIndexedSeq
    val coalescer = new KeyedWatermarkCoalescer(inputs.size)
    // What is idle is left out at the end, so that nothing is forwarded too early.
    for (i <- inputs.indices; ms <- inputs(i).watermarkMs)
      coalescer.observeWatermark(i, OnlyKey, ms)
    inputs.indices.filter(inputs(_).idle).foreach(coalescer.observeIdle)
    val highest = (unions.get(union) ++ coalescer.coalesced(OnlyKey)).maxOption
    highest.foreach(unions(union) = _)
    coalescer.decidedBy(OnlyKey).fold(inputs.head)(inputs).copy(watermarkMs = highest)
  }
}

private object OperatorTimes {

  /** A union is coalesced for one key at a time. */
  private final val OnlyKey: Byte = 0
}

/**
 * The current value of a time.
 *
 * @param heldBackBy
 *   the watermark node that this time waits for: the lowest one, or one without a watermark
 */
final case class Time(watermarkMs: Option[Long], idle: Boolean, heldBackBy: String)
