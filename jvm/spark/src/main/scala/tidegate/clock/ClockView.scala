package tidegate.clock

import tidegate.core.clock.{ClockView => TimeView}
import tidegate.plans.DropLate

/** What a user may see of a clock: its times, and what was counted since the query was started. */
final case class ClockView(nodes: Map[String, NodeView], operators: Map[String, OperatorView])

private[clock] object ClockView {

  /** Before the first batch. */
  val empty: ClockView = ClockView(Map.empty, Map.empty)

  def apply(times: TimeView, totals: ClockTotals, operators: Seq[DropLate]): ClockView = {
    val eventTimes = operators.map(op => op.operator -> op.time.name).toMap
    ClockView(
      times.nodes.map { case (name, n) =>
        name -> NodeView(n.mark, n.substreams, n.heldBackBy, totals.futureEvents(name))
      },
      times.operators.map { case (name, o) =>
        name -> OperatorView(
          o.mark,
          eventTimes(name),
          o.heldBackBy,
          o.evictionHeldBackBy,
          totals.lateRows(name)
        )
      }
    )
  }
}
