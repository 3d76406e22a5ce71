package tidegate.clock

import scala.collection.concurrent.TrieMap
import scala.collection.immutable.SortedMap
import scala.collection.mutable

import org.apache.spark.sql.tidegate.{EventTimeReporter, QueryGauge, QueryReports}
import org.json4s.JsonAST.JValue
import org.json4s.jackson.JsonMethods.compact
import tidegate.core.clock.{ClockEvent, NodeMark}
import tidegate.core.figures._
import tidegate.statistics.{PartlyLate, TimesSeen}

/**
 * Remembers what happens to the time of a query, and reports its figures to those who ask, to
 * Spark's progress and metrics, and to the log.
 *
 * @param totals
 *   what was counted up to the batch before the last
 */
private[clock] final class TimeReports(query: RunningQuery, totals: ClockTotals)
    extends QueryReports {
  import TimeReports._

  private val log = new ClockLog(query.name)

  private val memory: QueryMemory = query.newMemory

  /** What happened since the last batch, as long as it is not too much for its figures. */
  private val sinceBatch = mutable.ArrayBuffer.empty[TimeEvent]

  /** The names of the columns, by watermark and by operator. */
  private lazy val eventTimes: Map[String, String] =
    query.nodes.map(n => n.spec.name -> n.eventTime.name).toMap
  private lazy val operatorTimes: Map[String, String] =
    query.operators.map(op => op.operator -> op.time.name).toMap

  /** The settings in force, by watermark. */
  private lazy val settings: Map[String, WatermarkSettings] = {
    val asked = query.nodes.map(n => n.spec.name -> n.spec).toMap
    query.spec.nodes.map { node =>
      val spec = asked(node.name)
      node.name -> WatermarkSettings(
        node.columns,
        node.policy,
        node.emission,
        node.idleTimeoutMs,
        node.idleBehindMs,
        spec.maxFutureSkewMs,
        spec.allowedLatenessMs,
        node.flush,
        spec.lateRows,
        node.forgetAfterMs,
        node.stallMs
      )
    }.toMap
  }

  override def source: String = ClockSource.Name

  override def times(hasBatch: Boolean): Map[String, Long] =
    query.clock.progressTimes(query, hasBatch)

  /** Takes in what has happened. */
  def add(event: ClockEvent): Unit = {
    val ms = query.wallClockMs
    val remembered = event.at(ms)
    val told = if (query.showsValues) remembered else event.countedAt(ms)
    log.write(told)
    add(remembered, told)
  }

  /**
   * @param told
   *   what Spark's progress says of it, and with that the log
   */
  private def add(event: TimeEvent, told: TimeEvent): Unit = {
    memory.add(event)
    if (sinceBatch.size < MostOfBatch) sinceBatch += told
  }

  private def told(batch: BatchFigures): BatchFigures =
    if (query.showsValues) batch else batch.withoutSubstreams

  override def hidesOffset: Boolean = !query.showsValues

  /**
   * The figures of this moment, from any thread.
   *
   * @param watermarks
   *   what the clock says, and of the operators
   * @param atMs
   *   the wall clock of the last trigger
   */
  def figures(
      state: RunState,
      watermarks: SortedMap[String, WatermarkFigures],
      operators: SortedMap[String, OperatorFigures],
      atMs: Long
  ): QueryFigures = {
    val batches = memory.batches
    val last = batches.lastOption
    QueryFigures(
      query.ids,
      state,
      if (state == RunState.Running) query.wallClockMs else atMs,
      watermarks.transform { (name, w) =>
        val unread = query.unreadRows(name)
        val future = last.flatMap(_.watermarks.get(name)).map(_.futureEvents)
        w.copy(
          eventTime = eventTimes.get(name),
          settings = settings.get(name),
          futureEvents = counted(totals.futureEvents(name), future),
          detail = w.detail.map(withUnread(_, unread))
        )
      },
      operators.transform { (name, o) =>
        val inLast = last.flatMap(_.operators.get(name))
        o.copy(
          eventTime = operatorTimes.get(name),
          lateRows = counted(totals.lateRows(name), inLast.map(_.lateRows)),
          partlyLateRows = counted(totals.partlyLate(name).rows, inLast.map(_.partlyLateRows)),
          partlyLateWindows =
            counted(totals.partlyLate(name).windows, inLast.map(_.partlyLateWindows)),
          lateness = (inLast.flatMap(_.lateness) ++ totals.lateness(name).figures)
            .maxByOption(_.all.rows),
          state = inLast.flatMap(_.state)
        )
      },
      batches,
      memory.events
    )
  }

  override def batchEnded(batchId: Long, inputRows: Long): Map[String, String] =
    query.clock
      .asked(time => (time.watermarkFigures(detailed = false), time.operatorFigures))
      .fold(Map.empty[String, String]) { case (watermarks, operators) =>
        val late = query.clock.pending.lateRows
        val partly = query.clock.pending.partlyLate
        val lateness = query.clock.pending.lateness
        val future = query.clock.pending.futureEvents
        val states = query.stateSizes
        def count(inBatch: Option[Long], before: Long) =
          Count(inBatch.getOrElse(0L), before + inBatch.getOrElse(0L))
        val batch = BatchFigures(
          batchId,
          query.wallClockMs,
          query.batchTimestampMs,
          inputRows,
          watermarks.transform { (name, w) =>
            w.copy(futureEvents = count(future.get(name), totals.futureEvents(name)))
          },
          operators.transform { (name, o) =>
            val (now, before) = (partly.get(name), totals.partlyLate(name))
            o.copy(
              lateRows = count(late.get(name), totals.lateRows(name)),
              partlyLateRows = count(now.map(_.rows), before.rows),
              partlyLateWindows = count(now.map(_.windows), before.windows),
              lateness = lateness.get(name).foldLeft(totals.lateness(name))(_ + _).figures,
              state = states.get(name)
            )
          }
        )
        memory.add(batch)
        for ((name, operator) <- batch.operators if operator.lateRows.inBatch >= ManyRows) {
          val rows = operator.lateRows.inBatch
          val text = s"$rows rows of the batch $batchId were late for `$name`."
          val event = TimeEvent(batch.wallClockMs, TimeEvent.ManyLate, name, Nil, rows, text)
          add(event, event)
        }
        val events = sinceBatch.toVector
        sinceBatch.clear()
        def metric(name: String, json: JValue) = name -> compact(json)
        Map(metric(Metric, FiguresJson.of(told(batch)))) ++
          Option.when(events.nonEmpty)(metric(EventsMetric, FiguresJson.of(events)))
      }

  override def gauges: Seq[QueryGauge] = {
    val ofWatermarks = query.nodes.map(_.spec.name).distinct
    val ofOperators = query.operators.map(_.operator).distinct
    uniqueNames(ofWatermarks).flatMap { case (name, safe) =>
      def gauge(metric: String)(value: WatermarkFigures => Option[Long]) = QueryGauge(
        s"tidegate-$safe-$metric",
        () => query.clock.asked(_.watermarkFigures(name)).flatten.flatMap(value)
      )
      Seq(
        gauge("watermarkLagMs")(_.lagMs(query.wallClockMs)),
        gauge("heldBackMs")(w => w.watermarkMs.map(_ => w.heldBackMs)),
        gauge("activeSubstreams")(w => Some(w.activeSubstreams.toLong)),
        gauge("idleSubstreams")(w => Some(w.idleSubstreams.toLong)),
        gauge("unreadSubstreams")(w => Some(w.unreadSubstreams.toLong)),
        gauge("futureEvents")(_ => Some(totals.futureEvents(name)))
      )
    } ++ uniqueNames(ofOperators).flatMap { case (name, safe) =>
      Seq(
        QueryGauge(s"tidegate-$safe-lateRows", () => Some(totals.lateRows(name))),
        QueryGauge(s"tidegate-$safe-partlyLateRows", () => Some(totals.partlyLate(name).rows))
      )
    }
  }
}

private[tidegate] object TimeReports {

  /** What the clock's source calls a batch's figures among its metrics. */
  val Metric = "time"

  /** What it calls the events since the last batch. */
  val EventsMetric = "events"

  /** So many events are reported with a batch; the memory has more. */
  private val MostOfBatch = 50

  /** So many late rows of a batch are worth an event. */
  private val ManyRows = 1000L

  /** The clock takes in the rows of a batch when the next trigger begins, the memory at its end. */
  private def counted(inAll: Long, last: Option[Count]): Count =
    last.fold(Count(0, inAll))(l => l.copy(inAll = math.max(inAll, l.inAll)))

  private def withUnread(detail: WatermarkDetail, unread: Map[String, Long]): WatermarkDetail =
    if (unread.isEmpty) detail
    else
      detail.copy(substreams = detail.substreams.transform { (name, s) =>
        s.copy(unreadRows = unread.get(name))
      })

  /**
   * Each name with one that is safe for a gauge; equal ones have a number. Sinks of metrics have
   * signs of their own: a dot ends a group of metrics, and Prometheus knows letters, digits and `_`
   * alone, so that two names could become one there.
   */
  private def uniqueNames(names: Seq[String]): Seq[(String, String)] = {
    def atPrometheus(name: String) = name.replaceAll("[^A-Za-z0-9]", "_")
    names.foldLeft(Vector.empty[(String, String)]) { (done, name) =>
      val plain = name.replaceAll("[^A-Za-z0-9_-]", "_")
      val used = done.map(d => atPrometheus(d._2)).toSet
      val free = Iterator(plain) ++ Iterator.from(2).map(n => s"$plain-$n")
      done :+ (name -> free.find(n => !used(atPrometheus(n))).get)
    }
  }

  /**
   * The event times of Spark's progress, in epoch ms, with Spark's names: those of the keyed
   * watermark that is lowest. Spark has one watermark for a query, which is the lowest of its
   * streams. A node without a watermark has nothing to show; as long as no node has one, the first
   * that saw events shows them. Times before the year 1 are left out.
   *
   * @param nodes
   *   the names of the watermark nodes, in the order of the plan
   * @param seen
   *   the times of a batch, by node
   */
  private[clock] def progressTimes(
      nodes: Seq[String],
      marks: Map[String, NodeMark],
      seen: Map[String, TimesSeen]
  ): Map[String, Long] = {
    val watermarks = nodes.flatMap(name => marks.get(name).flatMap(_.watermarkMs).map(name -> _))
    val lowestMs = watermarks.map(_._2).minOption
    val lowest = lowestMs.fold(nodes)(ms => watermarks.collect { case (name, `ms`) => name })
    val batch = lowest.flatMap(seen.get).find(!_.isEmpty).fold(Map.empty[String, Long]) { times =>
      Map("min" -> times.minMs, "max" -> times.maxMs, "avg" -> times.avgMs)
    }
    (batch ++ lowestMs.map("watermark" -> _)).filter(_._2 >= EventTimeReporter.FirstMs)
  }
}

/** Counts since the query was started. */
private[clock] final class ClockTotals {
  private val late = TrieMap.empty[String, Long]
  private val partly = TrieMap.empty[String, PartlyLate]
  private val future = TrieMap.empty[String, Long]
  private val latenesses = TrieMap.empty[String, LatenessBySubstream]

  def addLateRows(operator: String, n: Long): Unit = add(late, operator, n)
  def addPartlyLate(operator: String, n: PartlyLate): Unit =
    partly(operator) = partlyLate(operator) + n
  def addLateness(operator: String, of: LatenessBySubstream): Unit =
    latenesses(operator) = lateness(operator) + of
  def lateness(operator: String): LatenessBySubstream =
    latenesses.getOrElse(operator, LatenessBySubstream.None)
  def addFutureEvents(node: String, n: Long): Unit = add(future, node, n)
  def lateRows(operator: String): Long = late.getOrElse(operator, 0L)
  def partlyLate(operator: String): PartlyLate = partly.getOrElse(operator, PartlyLate.None)
  def futureEvents(node: String): Long = future.getOrElse(node, 0L)

  private def add(counts: TrieMap[String, Long], name: String, n: Long): Unit =
    counts(name) = counts.getOrElse(name, 0L) + n
}
