package tidegate.core.clock

import org.scalatest.funsuite.AnyFunSuite
import tidegate.core.policy.{EmissionSpec, PolicySpec}
import tidegate.core.window.WindowGrid

/** Base of the suites whose scenarios run on the clock alone, without Spark. */
abstract class ClockScenarios extends AnyFunSuite {
  import ClockScenarios._

  protected val TenSeconds: WindowGrid = WindowGrid(10000L, 0L, 10000L)

  protected def fixedLag(lagMs: Long = 0L): PolicySpec = PolicySpec("fixedLag", Seq(lagMs))
  protected def lagAndDelay(lagMs: Long, maxDelayMs: Long): PolicySpec =
    PolicySpec("limitingLagAndDelay", Seq(lagMs, maxDelayMs))
  protected def lagAndLull(lagMs: Long, maxLullMs: Long): PolicySpec =
    PolicySpec("limitingLagAndLull", Seq(lagMs, maxLullMs))
  protected def lagAndWallClock(lagMs: Long, wallClockLagMs: Long): PolicySpec =
    PolicySpec("limitingTimestampAndWallClockLag", Seq(lagMs, wallClockLagMs))

  /** A watermark node as it is over windows of ten seconds, idle after five. */
  protected def node(
      name: String,
      policy: PolicySpec = fixedLag(),
      key: Int = 0,
      idleAfterMs: Option[Long] = Some(5000L)
  ): NodeSpec =
    NodeSpec(name, key.toByte, policy, EmissionSpec.byFrame(10000L), idleAfterMs)

  /** Rows by windows of ten seconds: the operator `aggregate`. */
  protected def counts(input: InputTime, nodes: NodeSpec*): Query = Query(
    QuerySpec(nodes, Seq(OperatorSpec("aggregate", nodes.head.key, input, Some(input)))),
    Map("aggregate" -> TenSeconds)
  )

  protected def counts(node: NodeSpec): Query = counts(NodeTime(node.name), node)

  /**
   * Four tests: as it is, and stopped and started again between every two steps; with batches that
   * close in the next one, and that close what their own rows close.
   */
  protected def scenario(title: String, query: => Query)(body: ClockScenario => Unit): Unit =
    for (sameBatch <- Seq(false, true); restarts <- Seq(false, true)) {
      val how =
        Seq("in the same batch" -> sameBatch, "restarted between every two steps" -> restarts)
      test((title +: how.collect { case (what, true) => what }).mkString("; ")) {
        body(query.start(restarts, sameBatch = sameBatch))
      }
    }
}

object ClockScenarios {

  final case class Query(spec: QuerySpec, windows: Map[String, WindowGrid] = Map.empty) {
    def start(
        restarts: Boolean = false,
        startsBatches: Boolean = true,
        sameBatch: Boolean = false
    ): ClockScenario = new ClockScenario(spec, windows, restarts, startsBatches, sameBatch)
  }
}
