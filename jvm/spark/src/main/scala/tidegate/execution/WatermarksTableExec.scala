package tidegate.execution

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, UnsafeProjection}
import org.apache.spark.sql.execution.LeafExecNode
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.types.UTF8String
import tidegate.clock.KnownQueries
import tidegate.core.EndOfTime
import tidegate.core.figures._
import tidegate.plans.WatermarksTable

/**
 * Reads the figures of the session's queries, on the driver, once for each plan: Spark keeps what a
 * node has returned, so a DataFrame that is collected twice has the same rows.
 */
final case class WatermarksTableExec(
    content: WatermarksTable.Content,
    query: Option[String],
    output: Seq[Attribute]
) extends LeafExecNode
    with DescribesItself {

  override def describe: String = s"$content of ${query.getOrElse("all queries that run")}"

  override def simpleString(maxFields: Int): String = s"$nodeName: $describe"

  override protected def doExecute(): RDD[InternalRow] = {
    val found = query.fold(KnownQueries.all(session))(q => Seq(KnownQueries.of(session, q)))
    val unsafe = UnsafeProjection.create(output, output)
    val rows = found.flatMap(FigureRows.of(content, _))
    // One partition keeps the order of the rows.
    sparkContext.parallelize(rows.map[InternalRow](unsafe(_).copy()), numSlices = 1)
  }
}

/** The figures of a query as rows: the watermarks by name, then the operators. */
private[tidegate] object FigureRows {
  import WatermarksTable._

  private val Ids = "query STRING, query_id STRING NOT NULL, run_id STRING NOT NULL, "

  def schema(content: Content): StructType = StructType.fromDDL(Ids + (content match {
    case Watermarks =>
      "name STRING NOT NULL, kind STRING NOT NULL, key INT NOT NULL, " +
        "event_time STRING NOT NULL, watermark TIMESTAMP, idle BOOLEAN NOT NULL, " +
        "held_back_by STRING, substream STRING, substream_watermark TIMESTAMP, " +
        "substream_idle BOOLEAN, future_events BIGINT, eviction_watermark TIMESTAMP, " +
        "eviction_held_back_by STRING, late_rows BIGINT, partly_late_rows BIGINT, " +
        "partly_late_windows BIGINT"
    case _: Progress =>
      "batch_id BIGINT NOT NULL, wall_clock TIMESTAMP NOT NULL, batch_time TIMESTAMP NOT NULL, " +
        "input_rows BIGINT NOT NULL, name STRING NOT NULL, kind STRING NOT NULL, " +
        "key INT NOT NULL, watermark TIMESTAMP, lag_ms BIGINT, idle BOOLEAN NOT NULL, " +
        "held_back_by STRING, held_back_since TIMESTAMP, held_back_ms BIGINT, " +
        "active_substreams INT, idle_substreams INT, unread_substreams INT, moved_at TIMESTAMP, " +
        "future_events BIGINT, future_events_total BIGINT, eviction_watermark TIMESTAMP, " +
        "eviction_held_back_by STRING, late_rows BIGINT, late_rows_total BIGINT, " +
        "partly_late_rows BIGINT, partly_late_rows_total BIGINT, " +
        "partly_late_windows BIGINT, partly_late_windows_total BIGINT, " +
        "state_rows BIGINT, state_bytes BIGINT, next_window_end TIMESTAMP"
    case Explanation => "line INT NOT NULL, sentence STRING NOT NULL"
  }))

  /** In the order of the schema. */
  def of(content: Content, query: QueryFigures): Seq[InternalRow] = {
    val ids = query.ids
    val rows = content match {
      case Watermarks     => watermarks(query)
      case Progress(last) => query.batches.takeRight(last).flatMap(batch)
      case Explanation    =>
        tidegate.core.figures.Explanation.of(query).linesIterator.toSeq.zipWithIndex.map {
          case (line, i) => Seq[Any](i + 1, line)
        }
    }
    rows.map { row =>
      val values = Seq[Any](ids.name, ids.id.toString, ids.runId.toString) ++ row
      InternalRow.fromSeq(values.map(internal))
    }
  }

  /** One for each substream, or one without a substream as long as there is none. */
  private def watermarks(query: QueryFigures): Seq[Seq[Any]] = {
    val watermarks = query.watermarks.toSeq.flatMap { case (name, w) =>
      val substreams = w.substreams.toSeq.sortBy(_._1).map { case (substream, s) =>
        Seq[Any](substream, time(s.watermarkMs), s.idle)
      }
      (if (substreams.isEmpty) Seq(nulls(3)) else substreams).map { substream =>
        Seq[Any](
          name,
          "watermark",
          w.key,
          w.eventTime,
          time(w.watermarkMs),
          w.idle,
          w.heldBackBy
        ) ++
          substream ++ (w.futureEvents.inAll +: nulls(5))
      }
    }
    val operators = query.operators.toSeq.map { case (name, o) =>
      Seq[Any](name, "operator", o.key, o.eventTime, time(o.watermarkMs), o.idle, o.heldBackBy) ++
        nulls(4) ++ Seq[Any](time(o.evictionMs), o.evictionHeldBackBy, o.lateRows.inAll) ++
        Seq(o.partlyLateRows.inAll, o.partlyLateWindows.inAll)
    }
    watermarks ++ operators
  }

  private def batch(batch: BatchFigures): Seq[Seq[Any]] = {
    val times = Seq(batch.wallClockMs, batch.batchTimeMs).map(at)
    val head = (batch.batchId +: times) :+ batch.inputRows
    val watermarks = batch.watermarks.toSeq.map { case (name, w) =>
      Seq[Any](name, "watermark", w.key, time(w.watermarkMs), w.lagMs(batch.wallClockMs), w.idle) ++
        Seq[Any](w.heldBackBy, time(w.heldSinceMs), w.heldBackMs, w.activeSubstreams) ++
        Seq[Any](w.idleSubstreams, w.unreadSubstreams, at(w.movedAtMs)) ++
        Seq(w.futureEvents.inBatch, w.futureEvents.inAll) ++ nulls(11)
    }
    val operators = batch.operators.toSeq.map { case (name, o) =>
      Seq[Any](name, "operator", o.key, time(o.watermarkMs), null, o.idle, o.heldBackBy) ++
        nulls(8) ++ Seq[Any](time(o.evictionMs), o.evictionHeldBackBy) ++
        Seq(o.lateRows, o.partlyLateRows, o.partlyLateWindows)
          .flatMap(c => Seq(c.inBatch, c.inAll)) ++
        Seq[Any](o.state.map(_.rows), o.state.map(_.bytes), time(o.nextEndMs))
    }
    (watermarks ++ operators).map(head ++ _)
  }

  private def nulls(n: Int): Seq[Any] = Seq.fill(n)(null)

  private def time(ms: Option[Long]): Option[Long] = ms.map(at)

  /** In µs; the end of time is the last whole millisecond of TIMESTAMP. */
  private def at(ms: Long): Long = ms.min(EndOfTime.Ms).max(-EndOfTime.Ms) * 1000

  private def internal(value: Any): Any = value match {
    case Some(some)   => internal(some)
    case None         => null
    case text: String => UTF8String.fromString(text)
    case other        => other
  }
}
