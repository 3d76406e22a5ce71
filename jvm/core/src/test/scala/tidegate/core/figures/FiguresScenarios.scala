package tidegate.core.figures

import java.util.UUID

import tidegate.core.clock._
import tidegate.core.policy.EmissionSpec

/** Figures of queries on the clock alone. */
abstract class FiguresScenarios extends ClockScenarios {

  /** The wall clock at the start, 1970-01-12T13:46:40Z, in seconds. */
  protected val Base = 1000000

  protected def orders(idleAfterMs: Option[Long] = Some(60000L)): NodeSpec =
    node("orders", idleAfterMs = idleAfterMs)
      .copy(columns = Seq("shop STRING"), emission = EmissionSpec.byMinStep(1L))

  protected val ids: QueryIds = QueryIds(Some("hourly"), new UUID(0, 1), new UUID(0, 2))

  protected def figures(run: ClockScenario): QueryFigures = QueryFigures(
    ids,
    RunState.Running,
    run.nowMs,
    run.query.watermarkFigures(detailed = true),
    run.query.operatorFigures
  )

  /** Sends rows at seconds from the start of the wall clock. */
  protected def send(run: ClockScenario, substream: String, seconds: Double*): ClockScenario =
    run.send("orders", substream, seconds.map(_ + Base): _*)
}
