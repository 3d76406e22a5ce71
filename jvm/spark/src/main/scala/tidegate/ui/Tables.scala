package tidegate.ui

import scala.xml.{Node, NodeSeq, Text}

import tidegate.core.figures._
import tidegate.ui.Elements._

/** The watermarks of a query: each with its verdict, which is what the sentences say. */
private[ui] object WatermarkTable {

  def html(run: QueryFigures): Node = sortable(
    "tg-watermarks",
    "Watermark",
    "Verdict",
    "Waits for",
    "Since",
    "Behind the clock",
    "Catching up?",
    "Time",
    "Substreams that count",
    "Idle, left out"
  )(run.watermarks.toSeq.map { case (name, w) => row(run, name, w) })

  private def row(run: QueryFigures, name: String, w: WatermarkFigures): Seq[Cell] = {
    val verdict = Verdicts.of(run, name)
    Seq(
      Cell(<a href={s"#${substreamsId(name)}"}>{name}</a>, name),
      verdict.fold(Cell.empty)(v => Cell(badge(v.kind), v.kind))
    ) ++ verdict.fold(Seq(Cell.empty, Cell.empty))(waits(_, run.atMs)) ++ Seq(
      lag(w.watermarkMs, run.atMs),
      pace(run, Some(name)),
      time(w.watermarkMs),
      Cell(w.activeSubstreams.toLong),
      Cell(w.idleSubstreams.toLong)
    )
  }

  /** What has ended catches up no more. */
  def pace(run: QueryFigures, watermark: Option[String]): Cell = watermark
    .flatMap(Pace.of(run, _))
    .fold(Cell.empty)(p =>
      Cell(<span class="tg-words">{p.text(run.atMs)}</span>, p.perSecond.toString)
    )
}

/** The settings in force: a column for each watermark. */
private[ui] object SettingsTable {

  def html(run: QueryFigures): NodeSeq = {
    val known = run.watermarks.toSeq.flatMap { case (name, w) =>
      w.settings.map(s => name -> s.texts.toMap)
    }
    val names =
      run.watermarks.values.flatMap(_.settings).headOption.toSeq.flatMap(_.texts.map(_._1))
    if (known.isEmpty) <p>The event log does not have them.</p>
    else
      sortable("tg-settings", "Setting" +: known.map(_._1): _*)(names.map { setting =>
        Cell(setting) +: known.map { case (_, texts) => Cell(texts(setting)) }
      })
  }
}

/** By how much late rows were late, by operator and substream. */
private[ui] object LatenessTable {

  def html(run: QueryFigures): NodeSeq = {
    val rows = for {
      (operator, o) <- run.operators.toSeq
      late <- o.lateness.toSeq
      (substream, l) <- ("all" -> late.all) +: late.substreams.toSeq.sortBy(-_._2.rows)
    } yield Seq(Cell(operator), Cell(substream), Cell(l.rows), span(l.p50Ms), span(l.maxMs))
    if (rows.isEmpty) <p>No row was late.</p>
    else
      sortable(
        "tg-lateness",
        "Operator",
        "Substream",
        "Late rows",
        "Half of them late by at most",
        "The latest by"
      )(rows)
  }
}

/** The stateful operators of a query: their time in and out, late rows, and state. */
private[ui] object OperatorTable {

  def html(run: QueryFigures): Node = sortable(
    "tg-operators",
    "Operator",
    "Rows below are late",
    "Behind the clock",
    "Held back by",
    "State leaves below",
    "State held back by",
    "Next window ends",
    "State rows",
    "State size",
    "Late rows",
    "In the last batch",
    "Share of late rows",
    "Partly late rows",
    "Windows missed"
  )(run.operators.toSeq.map { case (name, o) => row(run, name, o) })

  private def row(run: QueryFigures, name: String, o: OperatorFigures): Seq[Cell] = Seq(
    Cell(<span id={operatorId(name)}>{name}</span>, name),
    time(o.watermarkMs),
    lag(o.watermarkMs, run.atMs),
    heldBack(run, o.heldBackBy),
    time(o.evictionMs),
    o.evictionHeldBackBy.fold(Cell.empty)(heldBack(run, _)),
    time(o.nextEndMs),
    o.state.fold(Cell.empty)(s => Cell(s.rows)),
    o.state.fold(Cell.empty)(s => Cell(Text(bytes(s.bytes)), s.bytes.toString)),
    Cell(o.lateRows.inAll),
    Cell(o.lateRows.inBatch),
    share(run, name),
    Cell(o.partlyLateRows.inAll),
    Cell(o.partlyLateWindows.inAll)
  )

  /** Of the rows that the shown batches read. */
  private def share(run: QueryFigures, operator: String): Cell = {
    val read = run.batches.map(_.inputRows).sum
    val late = run.batches.flatMap(_.operators.get(operator)).map(_.lateRows.inBatch).sum
    if (read == 0) Cell.empty
    else {
      val percent = 100.0 * late / read
      val text = if (late > 0 && percent < 0.01) "below 0.01 %" else f"$percent%.2f %%"
      Cell(Text(text), percent.toString)
    }
  }

  /** The watermark that an operator waits for, and the substream that the watermark waits for. */
  private def heldBack(run: QueryFigures, watermark: String): Cell = {
    val holder =
      run.watermarks.get(watermark).filter(_.heldBackMs > 0).flatMap(_.heldBackBy)
    val link = <a href={s"#${substreamsId(watermark)}"}>{watermark}</a>
    val by = holder.toSeq.flatMap { name =>
      Text(": ") ++ <a href={s"#${holderId(watermark)}"}>{name}</a>
    }
    Cell(link ++ by, s"$watermark ${holder.getOrElse("")}")
  }
}

/**
 * The substreams of a watermark: the slowest and those that hold time as a table, the others as a
 * histogram.
 */
private[ui] object SubstreamTable {

  /** So many substreams have a row. */
  private val Slowest = 20

  def html(run: QueryFigures, name: String, watermark: WatermarkFigures): NodeSeq = {
    val unread =
      if (watermark.unreadSubstreams > 0)
        f", ${watermark.unreadSubstreams}%,d have rows to be read"
      else ""
    val summary = f"${watermark.activeSubstreams}%,d count, ${watermark.idleSubstreams}%,d are " +
      s"idle and left out$unread."
    <p>{summary}</p> ++
      watermark.detail.fold(fromLog(name, watermark))(d => table(run, name, watermark, d))
  }

  private def fromLog(name: String, watermark: WatermarkFigures): NodeSeq = {
    val holder = watermark.heldBackBy
      .filter(_ => watermark.heldBackMs > 0)
      .fold("No substream held time back.") { substream =>
        val behind = spanText(watermark.heldBackMs)
        s"After the last batch, time waited for $substream, $behind behind the newest."
      }
    <p id={substreamsId(name)}><span id={holderId(name)}>{
      holder
    }</span> The event log has no more of them.</p>
  }

  private def table(
      run: QueryFigures,
      name: String,
      watermark: WatermarkFigures,
      detail: WatermarkDetail
  ): NodeSeq = {
    val verdict = Verdicts.of(run, name)
    val all = detail.substreams
    val newest = all.values.flatMap(_.watermarkMs).maxOption
    def behind(s: SubstreamFigures) = for (at <- newest; own <- s.watermarkMs) yield at - own
    def isSlowest(substream: String) =
      watermark.heldBackBy.contains(substream) && watermark.heldBackMs > 0
    def holds(substream: String) = verdict.exists(_.waitsFor.contains(substream))
    // A substream without a time is the slowest of all. One that is left out holds nothing.
    val slowestFirst = all.toSeq.sortBy { case (substream, s) =>
      (
        !watermark.heldBackBy.contains(substream),
        s.idle,
        s.watermarkMs.getOrElse(Long.MinValue),
        substream
      )
    }
    val (shown, others) = slowestFirst.splitAt(Slowest)
    val rows = shown.map { case (substream, s) =>
      val cell =
        if (!holds(substream) && !isSlowest(substream)) Cell(substream)
        else {
          val role = if (holds(substream)) <strong>holds time back</strong> else Text("slowest")
          Cell(<span id={holderId(name)}>{substream} {role}</span>, substream)
        }
      Seq(
        cell,
        time(s.watermarkMs),
        behind(s).fold(Cell.empty)(span),
        Cell(if (s.idle) "idle, left out" else "counts"),
        span(math.max(0, run.atMs - s.activeAtMs)),
        unread(s),
        time(s.newAtMs)
      )
    }
    sortable(
      substreamsId(name),
      "Substream",
      "Own time",
      "Behind the newest",
      "State",
      "Silent for",
      "Rows to be read",
      "New at"
    )(rows) ++ rest(others.flatMap { case (_, s) => behind(s) }, all.size)
  }

  private def unread(s: SubstreamFigures): Cell =
    s.unreadRows.fold(if (s.isUnread) Cell(Text("some"), "1") else Cell.empty)(Cell(_))

  private def rest(spans: Seq[Long], all: Int): NodeSeq =
    if (all <= Slowest) NodeSeq.Empty
    else
      <p>{
        f"The $Slowest%d slowest of $all%,d substreams, those that count first. The others, by how far they are behind the newest:"
      }</p> ++ Histogram.svg(spans)
}
