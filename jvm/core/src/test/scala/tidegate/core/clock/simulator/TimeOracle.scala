package tidegate.core.clock.simulator

import tidegate.core.EndOfTime
import tidegate.core.clock._
import tidegate.core.clock.simulator.TimeOracle._
import tidegate.core.window.WindowGrid

/**
 * The times of operators, computed anew from the times of nodes by the rules in `OperatorTimes`.
 *
 * @param nodes
 *   the watermark of a node, and whether the node is idle
 * @param unions
 *   the values that unions have had
 */
private[simulator] final class TimeOracle(
    nodes: String => NodeMark,
    unions: Map[CoalescedTime, Long]
) {
  private var risen = unions

  /** The values of the unions, with those that were asked for. */
  def unionsNow: Map[CoalescedTime, Long] = risen

  def apply(time: InputTime): Answer = time match {
    case NodeTime(name)          => Answer(nodes(name).watermarkMs, nodes(name).idle, Set(name))
    case union: CoalescedTime    => coalesced(union)
    case GridTime(of, grid)      => changed(of)(lastEnd(grid, _))
    case BehindTime(of, byMs)    => changed(of)(_ - byMs)
    case TightestTime(inputs)    => those(inputs.map(apply))(_.max)
    case JoinTime(inputs, sides) =>
      those(inputs.map(apply))(_.min).copy(idle = sides.map(apply).forall(_.idle))
  }

  private def changed(of: InputTime)(change: Long => Long): Answer = {
    val answer = apply(of)
    answer.copy(ms = answer.ms.map(change))
  }

  /** The answers whose time is the one that is chosen; no time is the lowest. */
  private def those(all: Seq[Answer])(choose: Seq[Option[Long]] => Option[Long]): Answer = {
    val ms = choose(all.map(_.ms))
    val chosen = all.filter(_.ms == ms)
    chosen.head.copy(heldBackBy = chosen.flatMap(_.heldBackBy).toSet)
  }

  private def coalesced(union: CoalescedTime): Answer = {
    val inputs = union.inputs.map(apply)
    val active = inputs.filterNot(_.idle)
    val answer = if (active.isEmpty) those(inputs)(_.max) else those(active)(_.min)
    val highest = (risen.get(union) ++ answer.ms).maxOption
    risen = risen ++ highest.map(union -> _)
    answer.copy(ms = highest)
  }

  /** Windows end a multiple of the slide after the first one. */
  private def lastEnd(grid: WindowGrid, ms: Long): Long =
    if (ms >= EndOfTime.Ms) ms
    else ms - Math.floorMod(ms - grid.offsetMs - grid.sizeMs, grid.slideMs)
}

private[simulator] object TimeOracle {

  /**
   * @param heldBackBy
   *   the nodes that the time waits for: of several that are equal, any may be named
   */
  final case class Answer(ms: Option[Long], idle: Boolean, heldBackBy: Set[String])
}
