package tidegate.core.figures

import tidegate.core.EndOfTime

/** The sentences about one watermark of a query, of which the figures have all detail. */
private[figures] final class WatermarkSentences(query: QueryFigures, name: String) {
  import WatermarkSentences._

  private val watermark = query.watermarks(name)
  private val detail = watermark.detail.getOrElse(throw new NoSuchElementException(name))
  private val nowMs = query.atMs
  private val future = watermark.futureEvents.inAll
  private val known = watermark.knownSubstreams

  /** The substream that holds time. */
  private val holder: Option[Holder] =
    watermark.heldBackBy.flatMap(by => detail.substreams.get(by).map(Holder(by, _)))

  private val isAtEnd = watermark.watermarkMs.exists(_ >= EndOfTime.Ms)

  /** Who holds time, unless nobody does. The only substream of a stream does not hold itself. */
  private val held: Option[Holder] = holder.filter(isHeld)

  private def isHeld(h: Holder): Boolean = h.figures.isUnread || watermark.heldBackMs > 0

  /** Whether time had moved shortly before the last trigger: nothing is known of later. */
  private val hasMoved = detail.lookedAtMs - watermark.movedAtMs < QuietMs

  /** The verdict as of the last trigger. */
  private val asOfTrigger: Verdict = {
    def verdict(kind: String, text: String) = Verdict(kind, text, Some(name))
    def waits(kind: String, h: Holder, sinceMs: Option[Long], text: String) =
      Verdict(kind, text, Some(name), Some(h.name), sinceMs)
    held match {
      case _ if isAtEnd =>
        verdict(
          Verdict.Ended,
          s"`$name` is at the end of time: its run was flushed, and no row is expected any more."
        )
      case _ if watermark.watermarkMs.isEmpty =>
        val kind =
          if (watermark.idle || known == 0 && detail.isStalled) Verdict.Free
          else if (detail.isStalled) Verdict.Stalled
          else Verdict.Starting
        verdict(kind, s"`$name` has no time yet: $whyNoTime").copy(waitsFor = held.map(_.name))
      case _ if watermark.idle         => verdict(Verdict.Free, whyIdle)
      case Some(h) if detail.isStalled =>
        val text =
          s"`$name` has stood still$sinceMoved: it waits for ${part(h)}, which ${state(h)}."
        waits(Verdict.Stalled, h, Some(watermark.movedAtMs), text)
      case Some(h) if isWorthAWord =>
        val text = s"`$name` waits for ${part(h)}, which ${state(h)}$since."
        waits(Verdict.Waiting, h, watermark.heldSinceMs, text)
      case Some(h) =>
        verdict(Verdict.Moving, s"`$name` moves with ${part(h)}, the slowest, which ${state(h)}.")
      case None =>
        val kind = if (hasMoved) Verdict.Moving else Verdict.Free
        verdict(kind, holder.fold(s"Nothing holds `$name` back.")(whyQuiet))
    }
  }

  private def isWorthAWord: Boolean = watermark.heldBackMs >= QuietMs || !hasMoved

  /** A batch that runs for long: what was true before it may not be true any more. */
  private val longBatch: Option[String] = query.batchSinceMs
    .filter { _ =>
      val unknownMs = nowMs - detail.lookedAtMs
      asOfTrigger.kind match {
        case Verdict.Moving                  => unknownMs >= LongBatchMs
        case Verdict.Free | Verdict.Starting => unknownMs >= QuietMs
        case _                               => false
      }
    }
    .map { ms =>
      s"A batch has run since ${Words.time(ms)} (${Words.duration(nowMs - ms)}): `$name` moves when it " +
        "has ended."
    }

  val verdict: Verdict = longBatch.fold(asOfTrigger)(Verdict(Verdict.InBatch, _, Some(name)))

  def paragraph: Seq[String] =
    if (isAtEnd) Seq(asOfTrigger.text)
    else place.toSeq ++ (asOfTrigger.text +: help) ++ longBatch ++ pace ++ others ++ fromTheFuture

  private def pace: Option[String] =
    if (asOfTrigger.kind == Verdict.Free) None
    else
      Pace
        .of(query, name)
        .filter(_.kind != Pace.UpToDate)
        .map(p => s"`$name` ${p.verb}${p.text(nowMs)}.")

  /** Why an operator waits for this watermark, as the end of a sentence that begins with it. */
  def causeForOthers: String =
    if (isAtEnd) s"follows `$name`, whose time has ended."
    else if (watermark.idle && watermark.watermarkMs.isDefined)
      s"follows `$name`, which is idle and holds nothing back."
    else
      held match {
        case Some(h) if asOfTrigger.waitsFor.isDefined =>
          s"waits for ${part(h)} of `$name`, which ${state(h)}."
        case _ if watermark.watermarkMs.isEmpty => s"waits for `$name`, which has no time yet."
        case Some(_)                            => s"follows `$name`, which moves."
        case None                               => s"follows `$name`, which nothing holds back."
      }

  private def place: Option[String] = watermark.watermarkMs.map { ms =>
    val lag = nowMs - ms
    val distance =
      if (lag >= 0) s"${Words.duration(lag)} behind the wall clock"
      else s"${Words.duration(-lag)} ahead of the wall clock"
    s"`$name` is at ${Words.time(ms)}, $distance."
  }

  private def whyNoTime: String = {
    val silent = Words.duration(nowMs - detail.emptySinceMs)
    holder match {
      case Some(h) if !h.figures.isRead && h.figures.isUnread =>
        s"it waits for ${part(h)}, which ${state(h)}."
      case _ if known == 0 && watermark.idle =>
        s"its stream has had no row for $silent, and holds nothing back as long as it has none."
      case _ if known == 0 =>
        s"its stream has had no row since the query was started, ${ago(detail.emptySinceMs)}."
      case _ if future > 0 =>
        "its stream has rows, but the times of all are NULL or too far in the future."
      case _ if watermark.idle || holder.exists(_.figures.watermarkMs.isEmpty) =>
        s"its stream has rows, but none with a time${some(holder.filter(_ => known > 1))}."
      case _ => "the next batch shows the first."
    }
  }

  private def some(h: Option[Holder]): String = h.fold("")(one => s" of ${part(one)}")

  /** What would help. */
  private def help: Seq[String] =
    if (watermark.watermarkMs.isEmpty) noTimeAdvice
    else if (asOfTrigger.kind == Verdict.Free)
      Option.unless(detail.followsWallClock)(LullAdvice).toSeq
    else held.filter(_ => asOfTrigger.waitsFor.isDefined).map(advice).toSeq

  private def noTimeAdvice: Seq[String] =
    if (known > 0 || watermark.idle) Nil
    else
      Seq(
        "  What helps: rows. If the source has some, a filter before the watermark may remove all."
      )

  private def whyIdle: String = {
    val all = known match {
      case 0 => "Its stream is idle"
      case 1 => "Its only substream is idle"
      case n => s"All ${Words.number(n.toLong)} substreams are idle"
    }
    val silent = detail.lastRowAtMs.fold("")(at => s" (the last row came ${ago(at)})")
    val rest =
      if (detail.followsWallClock) "without rows, time follows the wall clock."
      else "time stands still until a row comes."
    s"$all$silent: `$name` holds nothing back, and $rest"
  }

  /** The slowest substream is the newest too. */
  private def whyQuiet(h: Holder): String = {
    val silentMs = nowMs - h.figures.activeAtMs
    val last = s"Nothing holds `$name` back: its last row came ${ago(h.figures.activeAtMs)}"
    if (silentMs < QuietMs) s"$last."
    else if (detail.followsWallClock)
      s"$last, and without rows time follows the wall clock."
    else s"$last, and time moves only with rows."
  }

  /** What the one that holds time back is like, after the word "which". */
  private def state(h: Holder): String = {
    val behind =
      if (watermark.heldBackMs == 0) Nil
      else Seq(s"is ${Words.duration(watermark.heldBackMs)} behind the newest")
    val unread = if (h.figures.isUnread) {
      val rows = h.figures.unreadRows.filter(_ > 0)
      Seq(rows.fold("has rows to read")(n => s"has ${Words.count(n, "row")} to read"))
    } else Nil
    val never = if (!h.figures.isRead) Seq("was never read") else Nil
    val silent =
      if (!h.figures.isUnread && isSilent(h)) Seq(s"has had no row for ${silence(h)}") else Nil
    val all = behind ++ unread ++ never ++ silent
    if (all.size < 2) all.mkString else all.init.mkString(", ") + " and " + all.last
  }

  private def since: String = watermark.heldSinceMs.fold("") { ms =>
    if (ms <= detail.startedAtMs) s", since ${Words.time(ms)} or longer: the query was started then"
    else {
      val lasting = if (nowMs - ms < 1000) "" else s" (${Words.duration(nowMs - ms)})"
      s", since ${Words.time(ms)}$lasting"
    }
  }

  private def sinceMoved: String = {
    val ms = watermark.movedAtMs
    val longer = if (ms <= detail.startedAtMs) " or longer" else ""
    s" since ${Words.time(ms)}$longer (${Words.duration(nowMs - ms)})"
  }

  private def advice(h: Holder): String =
    if (h.figures.isUnread)
      "  What helps: more cores, or more rows in a batch, so that the query catches up with what is " +
        "there to be read."
    else if (!isSilent(h))
      "  Its rows are that old: time waits for them, so that they are not late."
    else
      detail.idleAfterMs match {
        case None =>
          "  It has no idle timeout, so time waits for ever. What helps: idleTimeout, such as " +
            "idleTimeout=\"60 seconds\", leaves a silent substream out."
        case Some(ms) if nowMs - h.figures.activeAtMs <= ms =>
          s"  It is left out after ${Words.duration(ms)} without a row."
        case Some(ms) =>
          s"  That is longer than its idle timeout of ${Words.duration(ms)}, but silence counts only " +
            "when the query has read all that its sources have, and knows it."
      }

  private def someIdle: Seq[String] = detail.substreams.toSeq
    .collect { case (substream, s) if s.idle => substream }
    .sorted
    .take(TimeEvent.MostNames)

  /** What is to be said of the other substreams. */
  private def others: Seq[String] = {
    val unread =
      if (watermark.unreadSubstreams < 2) Nil
      else
        Seq(
          s"${Words.number(watermark.unreadSubstreams.toLong)} of its ${Words.number(known.toLong)} substreams " +
            "have rows to read."
        )
    if (watermark.idleSubstreams == 0 || watermark.idle) unread
    else {
      val are = if (watermark.idleSubstreams == 1) "is" else "are"
      unread :+ s"${Words.number(watermark.idleSubstreams.toLong)} of its ${Words.number(known.toLong)} " +
        s"substreams $are idle and left out: ${Words.names(someIdle, watermark.idleSubstreams.toLong)}."
    }
  }

  private def fromTheFuture: Seq[String] =
    if (future == 0) Nil
    else
      Seq(
        s"${Words.count(future, "row")} since the query was started had a time further in the " +
          "future than maxFutureSkew, and moved no time."
      )

  /** Not if it spoke when the stream last did, just now. */
  private def isSilent(h: Holder): Boolean =
    nowMs - h.figures.activeAtMs >= QuietMs || detail.lastRowAtMs.exists(_ > h.figures.activeAtMs)

  private def silence(h: Holder): String = Words.duration(nowMs - h.figures.activeAtMs)

  private def ago(ms: Long): String =
    if (nowMs - ms < 1000) "just now" else s"${Words.duration(nowMs - ms)} ago"

  private def part(h: Holder): String =
    if (detail.columns.isEmpty) "the rows"
    else if (detail.columns.last.startsWith("partition ")) s"partition ${h.name}"
    else s"`${h.name}`"
}

private object WatermarkSentences {

  /** For so long a stream may have no row before that is worth a word. */
  private val QuietMs = 60000L

  /** A batch that runs for so long is worth a word. */
  private val LongBatchMs = 600000L

  private final case class Holder(name: String, figures: SubstreamFigures)

  private val LullAdvice =
    "  What helps: a policy that follows the wall clock in a lull, such as limitingLagAndLull."
}
