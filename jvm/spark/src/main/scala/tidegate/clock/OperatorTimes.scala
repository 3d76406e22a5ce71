package tidegate.clock

import tidegate.plans.{CoalescedTime, DropLate, InputTime, NodeTime}

/**
 * The watermark of every operator, from those of the nodes.
 *
 *   - An operator over one node has the node's watermark.
 *   - An operator over a union has the minimum over the inputs that are not idle; an input without
 *     a watermark holds it back.
 *   - When all inputs are idle, the highest watermark leaves.
 *   - It never falls: an input that comes back from idleness holds it where it is.
 */
object OperatorTimes {

  def advance(
      operators: Seq[DropLate],
      nodes: collection.Map[String, NodeClock],
      before: Map[String, OperatorMark]
  ): Map[String, OperatorMark] =
    operators.flatMap { op =>
      val previous = before.get(op.operator).map(_.watermarkMs)
      val now = time(op.input, nodes).watermarkMs
      (previous ++ now).maxOption.map(w => op.operator -> OperatorMark(op.key, w))
    }.toMap

  private final case class Time(watermarkMs: Option[Long], idle: Boolean)

  private def time(input: InputTime, nodes: collection.Map[String, NodeClock]): Time =
    input match {
      case NodeTime(name)        => Time(nodes(name).watermarkMs, nodes(name).isIdle)
      case CoalescedTime(inputs) =>
        val times = inputs.map(time(_, nodes))
        val active = times.filterNot(_.idle)
        if (active.isEmpty) Time(times.flatMap(_.watermarkMs).maxOption, idle = true)
        else if (active.exists(_.watermarkMs.isEmpty)) Time(None, idle = false)
        else Time(active.flatMap(_.watermarkMs).minOption, idle = false)
    }
}
