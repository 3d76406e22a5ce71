package tidegate.ui

import tidegate.clock.{KnownQueries, NodeView, OperatorView, SeenQuery}
import tidegate.core.sight.{Explanation, RunState}

/** The runs of this application, as they are now. */
private[ui] object KnownRuns extends Runs {

  override def all: Seq[RunPicture] = KnownQueries.everywhere.map(picture)

  override def run(id: String): Option[RunPicture] = KnownQueries.run(id).map(picture)

  override def none: String = "No query with a keyed watermark has run in this application."

  override def unknown: String =
    "No query has had this run in this application, or it was too long ago"

  private def picture(query: SeenQuery): RunPicture = {
    val situation = query.sight.situation
    RunPicture(
      query.ids,
      situation.state match {
        case RunState.Running   => "running"
        case RunState.Ended     => "ended"
        case _: RunState.Failed => "failed"
      },
      situation.nowMs,
      Some(Explanation.of(situation)),
      query.view.clock.nodes.toSeq.sortBy(_._1).map { case (name, node) =>
        watermark(query, name, node)
      },
      query.view.clock.operators.toSeq.sortBy(_._1).map { case (name, view) =>
        operator(query, name, view)
      },
      query.sight.memory.batches,
      query.sight.memory.events
    )
  }

  private def watermark(query: SeenQuery, name: String, node: NodeView): WatermarkPicture = {
    val views = node.substreams.values
    val idle = views.count(_.idle)
    WatermarkPicture(
      name,
      node.mark,
      node.heldBackBy,
      query.sight.situation.nodes.get(name).fold(0L)(_.brief.heldBackMs),
      SubstreamCounts(views.size - idle, idle, views.count(_.isUnread)),
      node.futureEvents,
      Some(node.substreams),
      query.unreadRows.getOrElse(name, Map.empty)
    )
  }

  private def operator(query: SeenQuery, name: String, view: OperatorView): OperatorPicture = {
    val last = query.sight.memory.batches.lastOption.flatMap(_.operators.get(name))
    val late = query.sight.situation.lateRows.get(name)
    OperatorPicture(
      name,
      view.mark,
      view.heldBackBy,
      view.evictionHeldBackBy,
      late.fold(view.lateRows)(_.inAll),
      late.fold(0L)(_.inBatch),
      last.flatMap(_.state),
      last.flatMap(_.nextEndMs)
    )
  }
}
