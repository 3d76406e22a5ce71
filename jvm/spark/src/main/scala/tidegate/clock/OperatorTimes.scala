package tidegate.clock

import tidegate.columns.{
  BehindTime,
  CoalescedTime,
  GridTime,
  InputTime,
  JoinTime,
  NodeTime,
  TightestTime,
  WindowGrid
}
import tidegate.plans.DropLate

/**
 * The watermark of every operator, from those of the nodes.
 *
 *   - A union has the minimum over the inputs that are not idle; an input without a watermark holds
 *     it back. When all inputs are idle, the highest watermark leaves. It never falls: an input
 *     that comes back from idleness holds it where it is.
 *   - A join has, for each key, the minimum over the times and limits; idleness leaves none of them
 *     out, as its state still has the rows.
 *   - The watermarks of an operator never fall.
 */
final class OperatorTimes(nodes: String => Time, remembered: Map[String, Long]) {

  private val unions = scala.collection.mutable.Map.from(remembered)

  /** The values of the unions that were met, and those remembered before. */
  def coalesced: Map[String, Long] = unions.toMap

  def advance(
      operators: Seq[DropLate],
      frames: Map[String, WindowGrid],
      before: Map[String, OperatorMark]
  ): Map[String, OperatorMark] =
    operators.map { op =>
      val now = time(op.input)
      val previous = before.get(op.operator)
      op.operator -> OperatorMark(
        op.key,
        (previous.flatMap(_.watermarkMs) ++ now.watermarkMs).maxOption,
        (previous.flatMap(_.evictionMs) ++ op.eviction.flatMap(time(_).watermarkMs)).maxOption,
        now.idle,
        frames.get(op.operator)
      )
    }.toMap

  def time(input: InputTime): Time = input match {
    case NodeTime(name)          => nodes(name)
    case c: CoalescedTime        => coalesce(c)
    case GridTime(of, grid)      => mapped(of)(grid.lastEnd)
    case BehindTime(of, byMs)    => mapped(of)(_ - byMs)
    case TightestTime(inputs)    => inputs.map(time).maxBy(_.watermarkMs)
    case JoinTime(inputs, sides) =>
      earliest(inputs.map(time)).copy(idle = sides.forall(time(_).idle))
  }

  private def mapped(input: InputTime)(change: Long => Long): Time = {
    val t = time(input)
    t.copy(watermarkMs = t.watermarkMs.map(change))
  }

  /** One without a watermark comes before all others. */
  private def earliest(times: Seq[Time]): Time = times.minBy(_.watermarkMs)

  private def coalesce(union: CoalescedTime): Time = {
    val times = union.inputs.map(time)
    val active = times.filterNot(_.idle)
    val now = if (active.isEmpty) times.maxBy(_.watermarkMs) else earliest(active)
    val name = union.toString
    val highest = (unions.get(name) ++ now.watermarkMs).maxOption
    highest.foreach(unions(name) = _)
    now.copy(watermarkMs = highest)
  }
}
