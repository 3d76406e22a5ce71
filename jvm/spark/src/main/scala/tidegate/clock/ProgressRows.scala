package tidegate.clock

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import tidegate.clock.WatermarkRows.{text, time}
import tidegate.core.sight.{BatchSight, OperatorSight, WatermarkSight}

/**
 * What batches did to time as rows: for each batch, one of each keyed watermark and one of each
 * stateful operator.
 */
private[tidegate] object ProgressRows {

  val Schema: StructType = StructType.fromDDL(
    "query STRING, query_id STRING NOT NULL, run_id STRING NOT NULL, batch_id BIGINT NOT NULL, " +
      "wall_clock TIMESTAMP NOT NULL, batch_time TIMESTAMP NOT NULL, input_rows BIGINT NOT NULL, name STRING NOT NULL, " +
      "kind STRING NOT NULL, key INT NOT NULL, watermark TIMESTAMP, lag_ms BIGINT, " +
      "idle BOOLEAN NOT NULL, held_back_by STRING, held_back_since TIMESTAMP, " +
      "held_back_ms BIGINT, active_substreams INT, idle_substreams INT, unread_substreams INT, " +
      "moved_at TIMESTAMP, future_events BIGINT, future_events_total BIGINT, " +
      "eviction_watermark TIMESTAMP, eviction_held_back_by STRING, late_rows BIGINT, " +
      "late_rows_total BIGINT, state_rows BIGINT, state_bytes BIGINT, next_window_end TIMESTAMP"
  )

  /** In the order of `Schema`: the oldest batch first; the watermarks by name, then operators. */
  def of(ids: QueryIds, batches: Seq[BatchSight]): Seq[InternalRow] = batches.flatMap { batch =>
    val head =
      Seq(text(ids.name), text(ids.id.toString), text(ids.runId.toString), batch.batchId) ++
        Seq(batch.wallClockMs, batch.batchTimeMs).map(ms => time(Some(ms))) :+
        batch.inputRows
    val watermarks = batch.watermarks.toSeq.sortBy(_._1).map { case (name, w) =>
      text(name) +: watermark(w, batch.wallClockMs)
    }
    val operators = batch.operators.toSeq.sortBy(_._1).map { case (name, o) =>
      text(name) +: operator(o)
    }
    (watermarks ++ operators).map(row => InternalRow.fromSeq(head ++ row))
  }

  private def watermark(sight: WatermarkSight, wallClockMs: Long): Seq[Any] = {
    val brief = sight.brief
    Seq(
      text("watermark"),
      brief.mark.key.toInt,
      time(brief.mark.watermarkMs),
      SightJson.lagMs(brief.mark.watermarkMs, wallClockMs).map(Long.box).orNull,
      brief.mark.idle,
      text(brief.heldBackBy),
      time(brief.heldSinceMs),
      brief.heldBackMs,
      brief.active,
      brief.idle,
      brief.unread,
      time(Some(brief.movedAtMs)),
      sight.futureEvents.inBatch,
      sight.futureEvents.inAll
    ) ++ Seq.fill(7)(null)
  }

  private def operator(sight: OperatorSight): Seq[Any] = {
    val mark = sight.view.mark
    Seq(
      text("operator"),
      mark.key.toInt,
      time(mark.watermarkMs),
      null,
      mark.idle,
      text(sight.view.heldBackBy)
    ) ++ Seq.fill(8)(null) ++ Seq(
      time(mark.evictionMs),
      text(sight.view.evictionHeldBackBy),
      sight.lateRows.inBatch,
      sight.lateRows.inAll,
      sight.state.map(s => Long.box(s.rows)).orNull,
      sight.state.map(s => Long.box(s.bytes)).orNull,
      time(sight.nextEndMs)
    )
  }
}
