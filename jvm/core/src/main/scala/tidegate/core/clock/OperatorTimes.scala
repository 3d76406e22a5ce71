package tidegate.core.clock

import scala.collection.mutable

import tidegate.core.{ActiveMinimum, NoWatermark}

/**
 * The watermark of every operator at one moment, computed from the watermarks of the nodes.
 *
 *   - A union has the minimum over the inputs that are not idle; an input without a watermark holds
 *     the union back. When all inputs are idle, the union has the highest watermark. Its time never
 *     falls: an input that becomes active again holds it where it is.
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
    val inputs = union.inputs.map(time)
    val minimum = new ActiveMinimum
    inputs.foreach { t =>
      val input = minimum.add()
      t.watermarkMs.foreach(minimum.observe(input, _))
      if (t.idle) minimum.deactivate(input)
    }
    val highest = (unions.get(union) ++ NoWatermark.toOption(minimum.value)).maxOption
    highest.foreach(unions(union) = _)
    minimum.decidedBy.fold(inputs.head)(inputs).copy(watermarkMs = highest)
  }
}
