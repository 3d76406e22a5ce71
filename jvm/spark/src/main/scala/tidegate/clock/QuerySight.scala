package tidegate.clock

import org.apache.spark.sql.streaming.StreamingQuery
import tidegate.core.clock.{NodeDetail, OperatorView}
import tidegate.core.sight.{Count, MemorySnapshot, OperatorSight, RunState, Situation}

/**
 * What a query tells of its time, running or ended.
 *
 * @param memory
 *   its last batches, and what happened lately
 * @param situation
 *   what an explanation is made of
 */
private[tidegate] final case class QuerySight(memory: MemorySnapshot, situation: Situation) {

  /** As it is kept of a query that has ended, when a handle of the query is no longer there. */
  def shortened: QuerySight = QuerySight(
    memory.last(QuerySight.AfterTheEnd),
    situation.copy(events = situation.events.takeRight(QuerySight.AfterTheEnd))
  )
}

private[tidegate] object QuerySight {

  /** So many batches and events are kept of a query that has ended. */
  private val AfterTheEnd = 100

  /** @throws AnalysisException if the query has no keyed watermark, or no plan */
  def of(query: StreamingQuery): QuerySight = {
    val run = QueryView.running(query)
    of(run, run.state)
  }

  def of(run: RunningQuery, state: RunState): QuerySight = {
    val memory = run.clock.memory
    QuerySight(memory, situation(run, state, memory))
  }

  private def situation(run: RunningQuery, state: RunState, memory: MemorySnapshot): Situation = {
    val times = run.clock
      .asked(time => Times(time.details, time.brief.operators, time.atMs))
      .getOrElse(Times(Map.empty, Map.empty, run.wallClockMs))
    val last = memory.batches.lastOption
    val counted = run.clock.view
    Situation(
      run.label,
      if (state == RunState.Running) run.wallClockMs else times.atMs,
      state,
      times.nodes,
      times.operators,
      counted.operators.map { case (name, operator) =>
        name -> late(operator.lateRows, last.flatMap(_.operators.get(name)))
      },
      counted.nodes.map { case (name, node) =>
        val inMemory = last.flatMap(_.watermarks.get(name)).fold(0L)(_.futureEvents.inAll)
        name -> math.max(node.futureEvents, inMemory)
      },
      for {
        (name, node) <- times.nodes
        holder <- node.holder
        rows <- run.unreadRows(name).get(holder.name)
      } yield name -> rows,
      memory.events
    )
  }

  private final case class Times(
      nodes: Map[String, NodeDetail],
      operators: Map[String, OperatorView],
      atMs: Long
  )

  /** The clock takes the rows of a batch in when the next trigger begins, the memory at its end. */
  private def late(inAll: Long, last: Option[OperatorSight]): Count =
    last.fold(Count(0, inAll))(l => l.lateRows.copy(inAll = math.max(inAll, l.lateRows.inAll)))
}
