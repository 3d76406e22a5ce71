package tidegate.core.clock.simulator

import scala.util.Random

import tidegate.core.clock._
import tidegate.core.policy.{EmissionSpec, PolicySpec}
import tidegate.core.window.WindowGrid

/** A random plan: watermark nodes, and operators whose times are random trees over these nodes. */
private[simulator] final class SimulatedPlan(random: Random) {

  def make(): QuerySpec = {
    val nodes = Seq.tabulate(1 + random.nextInt(4))(node)
    def time() = inputTime(nodes, depth = random.nextInt(4))
    val operators = Seq.tabulate(1 + random.nextInt(5)) { i =>
      OperatorSpec(s"op$i", key(), time(), Option.when(random.nextBoolean())(time()))
    }
    QuerySpec(nodes, operators, Seq.fill(random.nextInt(2))(time()))
  }

  private def node(number: Int): NodeSpec = {
    val policy = oneOf(PolicySpec.allNames)
    NodeSpec(
      s"n$number",
      key(),
      PolicySpec(policy, PolicySpec.arguments(policy).get.map(_ => oneOf(Durations))),
      if (random.nextBoolean()) EmissionSpec.byMinStep(oneOf(Sizes))
      else EmissionSpec.byFrame(oneOf(Sizes), random.nextInt(20000) - 10000L),
      idleTimeoutMs = maybe(0.8)(oneOf(Timeouts)),
      flush = isTrue(0.3),
      isOverState = isTrue(0.2),
      hasParts = isTrue(0.3),
      forgetAfterMs = maybe(0.25)(oneOf(Timeouts) * 2),
      idleBehindMs = maybe(0.25)(oneOf(Timeouts) * 2)
    )
  }

  private def inputTime(nodes: Seq[NodeSpec], depth: Int): InputTime = {
    def leaf() = NodeTime(oneOf(nodes).name)
    def inner() = inputTime(nodes, depth - 1)
    def several() = Seq.fill(2 + random.nextInt(2))(inner())
    if (depth == 0) leaf()
    else
      random.nextInt(7) match {
        case 0     => leaf()
        case 1 | 2 => CoalescedTime(several())
        case 3     => GridTime(inner(), grid())
        case 4     => BehindTime(inner(), oneOf(Durations))
        case 5     => TightestTime(several())
        case _     =>
          val sides = Seq(inner(), inner())
          JoinTime(sides ++ Seq.fill(random.nextInt(2))(inner()), sides)
      }
  }

  private def grid(): WindowGrid = {
    val slideMs = oneOf(Sizes)
    WindowGrid(slideMs, random.nextInt(20000) - 10000L, slideMs * (1 + random.nextInt(3)))
  }

  private def key(): Byte = random.nextInt(3).toByte
  private def oneOf[T](all: Seq[T]): T = all(random.nextInt(all.size))
  private def isTrue(share: Double): Boolean = random.nextDouble() < share
  private def maybe[T](share: Double)(value: => T): Option[T] = Option.when(isTrue(share))(value)

  private val Durations = Vector(0L, 1L, 7L, 16L, 100L, 2000L, 5000L, 30000L)
  private val Sizes = Vector(1L, 10L, 1000L, 7000L)
  private val Timeouts = Vector(1L, 50L, 3000L, 5000L, 20000L)
}
