package tidegate.clock

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String
import tidegate.core.EndOfTime
import tidegate.core.clock.SubstreamView

/**
 * The watermarks of a query as rows: one for each substream of a keyed watermark, or one without a
 * substream as long as there is none; and one for each stateful operator.
 */
private[tidegate] object WatermarkRows {

  val Schema: StructType = StructType.fromDDL(
    "query STRING, query_id STRING NOT NULL, run_id STRING NOT NULL, name STRING NOT NULL, " +
      "kind STRING NOT NULL, key INT NOT NULL, event_time STRING NOT NULL, watermark TIMESTAMP, " +
      "idle BOOLEAN NOT NULL, held_back_by STRING, substream STRING, " +
      "substream_watermark TIMESTAMP, substream_idle BOOLEAN, future_events BIGINT, " +
      "eviction_watermark TIMESTAMP, eviction_held_back_by STRING, late_rows BIGINT"
  )

  /** In the order of `Schema`: the watermarks by name, then the operators. */
  def of(ids: QueryIds, view: QueryView): Seq[InternalRow] = {
    val query = Seq(text(ids.name), text(ids.id.toString), text(ids.runId.toString))
    val nodes = view.clock.nodes.toSeq.sortBy(_._1).flatMap { case (name, node) =>
      substreams(node).map { substream =>
        InternalRow.fromSeq(query ++ nodeRow(name, node, view.eventTimes(name), substream))
      }
    }
    val operators = view.clock.operators.toSeq.sortBy(_._1).map { case (name, operator) =>
      InternalRow.fromSeq(query ++ operatorRow(name, operator))
    }
    nodes ++ operators
  }

  private def substreams(node: NodeView): Seq[Option[(String, SubstreamView)]] =
    if (node.substreams.isEmpty) Seq(None)
    else node.substreams.toSeq.sortBy(_._1).map(Some(_))

  private def nodeRow(
      name: String,
      node: NodeView,
      eventTime: String,
      substream: Option[(String, SubstreamView)]
  ): Seq[Any] = Seq(
    text(name),
    text("watermark"),
    node.mark.key.toInt,
    text(eventTime),
    time(node.mark.watermarkMs),
    node.mark.idle,
    text(node.heldBackBy),
    text(substream.map(_._1)),
    time(substream.flatMap(_._2.watermarkMs)),
    substream.map(s => Boolean.box(s._2.idle)).orNull,
    node.futureEvents,
    null,
    null,
    null
  )

  private def operatorRow(name: String, operator: OperatorView): Seq[Any] = Seq(
    text(name),
    text("operator"),
    operator.mark.key.toInt,
    text(operator.eventTime),
    time(operator.mark.watermarkMs),
    operator.mark.idle,
    text(operator.heldBackBy),
    null,
    null,
    null,
    null,
    time(operator.mark.evictionMs),
    text(operator.evictionHeldBackBy),
    operator.lateRows
  )

  private[clock] def text(s: String): UTF8String = UTF8String.fromString(s)

  private[clock] def text(s: Option[String]): Any = s.map(text(_: String)).orNull

  /** In µs; the end of time is the last whole millisecond of TIMESTAMP. */
  private[clock] def time(ms: Option[Long]): Any =
    ms.map(_.min(EndOfTime.Ms).max(-EndOfTime.Ms) * 1000).map(Long.box).orNull
}
