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

  def paragraph: Seq[String] =
    if (watermark.watermarkMs.exists(_ >= EndOfTime.Ms))
      Seq(s"`$name` is at the end of time: its run was flushed, and no row is expected any more.")
    else (place +: cause) ++ others ++ fromTheFuture

  /** Why an operator waits for this watermark, as the end of a sentence that begins with it. */
  def causeForOthers: String =
    if (watermark.watermarkMs.exists(_ >= EndOfTime.Ms)) s"follows `$name`, whose time has ended."
    else if (watermark.idle && watermark.watermarkMs.isDefined)
      s"follows `$name`, which is idle and holds nothing back."
    else
      holder match {
        case Some(h) if isHeld(h) =>
          s"waits for ${part(h)} of `$name`, which ${state(h)}."
        case _ if watermark.watermarkMs.isEmpty => s"waits for `$name`, which has no time yet."
        case _                                  => s"follows `$name`, which nothing holds back."
      }

  private def place: String = watermark.watermarkMs match {
    case Some(ms) =>
      val lag = nowMs - ms
      val distance =
        if (lag >= 0) s"${Words.duration(lag)} behind the wall clock"
        else s"${Words.duration(-lag)} ahead of the wall clock"
      s"`$name` is at ${Words.time(ms)}, $distance."
    case None => s"`$name` has no time yet: $whyNoTime"
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

  private def cause: Seq[String] =
    if (watermark.watermarkMs.isEmpty) noTimeAdvice
    else if (watermark.idle) whyIdle
    else
      holder.toSeq.flatMap { h =>
        if (isHeld(h)) s"`$name` waits for ${part(h)}, which ${state(h)}$since." +: advice(h)
        else whyQuiet(h)
      }

  private def noTimeAdvice: Seq[String] =
    if (known > 0 || watermark.idle) Nil
    else
      Seq(
        "  What helps: rows. If the source has some, a filter before the watermark may remove all."
      )

  private def whyIdle: Seq[String] = {
    val all = known match {
      case 0 => "Its stream is idle"
      case 1 => "Its only substream is idle"
      case n => s"All ${Words.number(n.toLong)} substreams are idle"
    }
    val silent = detail.lastRowAtMs.fold("")(at => s" (the last row came ${ago(at)})")
    val rest =
      if (detail.followsWallClock) "without rows, time follows the wall clock."
      else "time stands still until a row comes."
    Seq(s"$all$silent: `$name` holds nothing back, and $rest") ++
      (if (detail.followsWallClock) Nil else Seq(LullAdvice))
  }

  /** The slowest substream is the newest too. */
  private def whyQuiet(h: Holder): Seq[String] = {
    val silentMs = nowMs - h.figures.activeAtMs
    val last = s"Nothing holds `$name` back: its last row came ${ago(h.figures.activeAtMs)}"
    if (silentMs < QuietMs) Seq(s"$last.")
    else if (detail.followsWallClock)
      Seq(s"$last, and without rows time follows the wall clock.")
    else Seq(s"$last, and time moves only with rows.", LullAdvice)
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

  private def advice(h: Holder): Seq[String] = Seq {
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

  private def isHeld(h: Holder): Boolean = h.figures.isUnread || watermark.heldBackMs > 0

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

  private final case class Holder(name: String, figures: SubstreamFigures)

  private val LullAdvice =
    "  What helps: a policy that follows the wall clock in a lull, such as limitingLagAndLull."
}
