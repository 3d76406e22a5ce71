package tidegate.clock

import scala.collection.mutable

import org.apache.spark.sql.tidegate.{QueryGauge, QueryReports}
import tidegate.core.clock.ClockEvent._
import tidegate.core.clock.{ClockBrief, ClockEvent, NodeBrief}
import tidegate.core.sight.{BatchSight, Count, QueryMemory, SightEvent}

/**
 * Remembers what happens to the time of a query, and tells Spark's reports and the log of it.
 *
 * @param totals
 *   what was counted up to the batch before the last
 */
private[clock] final class ClockSight(query: RunningQuery, totals: ClockTotals)
    extends QueryReports {
  import ClockSight._

  private val log = new ClockLog(query.label)

  val memory: QueryMemory = query.newMemory

  override def source: String = ClockTable.Name

  override def times(hasBatch: Boolean): Map[String, Long] =
    query.clock.progressTimes(query, hasBatch)

  /** Takes in what has happened. */
  def tell(event: ClockEvent): Unit = {
    val nowMs = query.wallClockMs
    log.tell(event, nowMs)
    remember(remembered(event, nowMs))
  }

  /** What happened since the last batch, as long as it is not too much for its figures. */
  private val sinceBatch = mutable.ArrayBuffer.empty[SightEvent]

  private def remember(event: SightEvent): Unit = {
    memory.add(event)
    if (sinceBatch.size < MostOfBatch) sinceBatch += event
  }

  override def batchEnded(batchId: Long, inputRows: Long): Map[String, String] =
    query.clock.brief.fold(Map.empty[String, String]) { times =>
      val batch = sight(batchId, inputRows, times)
      memory.add(batch)
      for ((name, operator) <- batch.operators if operator.lateRows.inBatch >= ManyRows) {
        val rows = operator.lateRows.inBatch
        val words = s"$rows rows of the batch $batchId were late for `$name`."
        remember(SightEvent(batch.wallClockMs, SightEvent.ManyLate, name, Nil, rows, words))
      }
      val told = sinceBatch.toVector
      sinceBatch.clear()
      Map(Metric -> SightJson.write(batch)) ++
        Option.when(told.nonEmpty)(EventsMetric -> SightJson.writeEvents(told))
    }

  private def sight(batchId: Long, inputRows: Long, times: ClockBrief): BatchSight = {
    val late = query.clock.pending.lateRows
    val future = query.clock.pending.futureEvents
    def count(inBatch: Map[String, Long], before: String => Long)(name: String) = {
      val rows = inBatch.getOrElse(name, 0L)
      Count(rows, before(name) + rows)
    }
    BatchSight(
      batchId,
      query.wallClockMs,
      query.batchTimestampMs,
      inputRows,
      times,
      count(late, totals.lateRows),
      count(future, totals.futureEvents),
      query.stateSizes
    )
  }

  override def gauges: Seq[QueryGauge] = {
    val ofWatermarks = query.nodes.map(_.spec.name).distinct
    val ofOperators = query.operators.map(_.operator).distinct
    GaugeNames.unique(ofWatermarks).flatMap { case (name, safe) =>
      def gauge(metric: String)(value: NodeBrief => Option[Long]) =
        QueryGauge(s"tidegate-$safe-$metric", () => query.clock.brief(name).flatMap(value))
      Seq(
        gauge("watermarkLagMs")(b => SightJson.lagMs(b.mark.watermarkMs, query.wallClockMs)),
        gauge("heldBackMs")(b => b.mark.watermarkMs.map(_ => b.heldBackMs)),
        gauge("activeSubstreams")(b => Some(b.active.toLong)),
        gauge("idleSubstreams")(b => Some(b.idle.toLong)),
        gauge("unreadSubstreams")(b => Some(b.unread.toLong)),
        gauge("futureEvents")(_ => Some(totals.futureEvents(name)))
      )
    } ++ GaugeNames.unique(ofOperators).map { case (name, safe) =>
      QueryGauge(s"tidegate-$safe-lateRows", () => Some(totals.lateRows(name)))
    }
  }
}

private[tidegate] object ClockSight {

  /** What the clock's source calls a batch's figures among its metrics. */
  val Metric = "time"

  /** What it calls the events since the last batch. */
  val EventsMetric = "events"

  /** So many events are told with a batch; the memory has more. */
  private val MostOfBatch = 50

  /** So many late rows of a batch are worth an event. */
  private val ManyRows = 1000L

  private def remembered(event: ClockEvent, nowMs: Long): SightEvent = {
    def of(kind: String, substreams: Seq[String], count: Long) = SightEvent(
      nowMs,
      kind,
      event.node,
      substreams.take(SightEvent.MostNames),
      count,
      ClockLog.words(event)
    )
    def ofAll(kind: String, substreams: Seq[String]) = of(kind, substreams, substreams.size.toLong)
    event match {
      case Restored(_, substreams, _)           => of(SightEvent.Restarted, Nil, substreams.toLong)
      case _: PolicyChanged                     => of(SightEvent.Changed, Nil, 0)
      case _: ColumnsChanged                    => of(SightEvent.Changed, Nil, 0)
      case Appeared(_, substreams)              => ofAll(SightEvent.New, substreams)
      case FellIdle(_, substreams)              => ofAll(SightEvent.Idle, substreams)
      case CameBack(_, substreams)              => ofAll(SightEvent.Back, substreams)
      case Forgotten(_, substreams)             => ofAll(SightEvent.Forgotten, substreams)
      case HeldBack(_, substream, _, _)         => of(SightEvent.Behind, Seq(substream), 1)
      case LateAfterIdle(_, substream, _, rows) =>
        of(SightEvent.LateAfterIdle, Seq(substream), rows)
      case Stalled(_, _, _, substream, _, _, _) => ofAll(SightEvent.Stalled, substream.toSeq)
      case _: Withheld                          => of(SightEvent.Withheld, Nil, 0)
      case _: Ended                             => of(SightEvent.Flushed, Nil, 0)
    }
  }
}
