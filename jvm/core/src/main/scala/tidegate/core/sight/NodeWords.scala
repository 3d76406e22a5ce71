package tidegate.core.sight

import tidegate.core.clock.{HolderDetail, NodeDetail}

/** The sentences about one watermark of a situation. */
private[sight] final class NodeWords(situation: Situation, name: String) {
  import NodeWords._

  private val node: NodeDetail = situation.nodes(name)
  private val brief = node.brief
  private val nowMs = situation.nowMs
  private val future = situation.futureEvents.getOrElse(name, 0L)
  private val known = brief.active + brief.idle

  def paragraph: Seq[String] =
    if (brief.mark.watermarkMs.exists(Explanation.isEnd))
      Seq(s"`$name` is at the end of time: its run was flushed, and no row is expected any more.")
    else (place +: cause) ++ others ++ fromTheFuture

  /** Why an operator waits for this watermark, as the end of a sentence that begins with it. */
  def causeForOthers: String =
    if (brief.mark.watermarkMs.exists(Explanation.isEnd)) s"follows `$name`, whose time has ended."
    else if (brief.mark.idle && brief.mark.watermarkMs.isDefined)
      s"follows `$name`, which is idle and holds nothing back."
    else
      node.holder match {
        case Some(h) if isHeld(h) =>
          s"waits for ${part(h)} of `$name`, which ${state(h)}."
        case _ if brief.mark.watermarkMs.isEmpty => s"waits for `$name`, which has no time yet."
        case _                                   => s"follows `$name`, which nothing holds back."
      }

  private def place: String = brief.mark.watermarkMs match {
    case Some(ms) =>
      val lag = nowMs - ms
      val distance =
        if (lag >= 0) s"${Words.duration(lag)} behind the wall clock"
        else s"${Words.duration(-lag)} ahead of the wall clock"
      s"`$name` is at ${Words.time(ms)}, $distance."
    case None => s"`$name` has no time yet: $whyNoTime"
  }

  private def whyNoTime: String = {
    val silent = Words.duration(nowMs - node.emptySinceMs)
    node.holder match {
      case Some(h) if !h.isRead && h.isBehind =>
        s"it waits for ${part(h)}, which ${state(h)}."
      case _ if known == 0 && brief.mark.idle =>
        s"its stream has had no row for $silent, and holds nothing back as long as it has none."
      case _ if known == 0 =>
        s"its stream has had no row since the query was started, ${ago(node.emptySinceMs)}."
      case _ if future > 0 =>
        "its stream has rows, but the times of all are NULL or too far in the future."
      case _ if brief.mark.idle || node.holder.exists(_.watermarkMs.isEmpty) =>
        s"its stream has rows, but none with a time${some(node.holder.filter(_ => known > 1))}."
      case _ => "the next batch shows the first."
    }
  }

  private def some(h: Option[HolderDetail]): String = h.fold("")(one => s" of ${part(one)}")

  private def cause: Seq[String] =
    if (brief.mark.watermarkMs.isEmpty) noTimeAdvice
    else if (brief.mark.idle) whyIdle
    else
      node.holder.toSeq.flatMap { h =>
        if (isHeld(h)) s"`$name` waits for ${part(h)}, which ${state(h)}$since." +: advice(h)
        else whyQuiet(h)
      }

  private def noTimeAdvice: Seq[String] =
    if (known > 0 || brief.mark.idle) Nil
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
    val silent = node.lastRowAtMs.fold("")(at => s" (the last row came ${ago(at)})")
    val rest =
      if (node.spec.policy.dependsOnWallClock) "without rows, time goes on with the wall clock."
      else "time stands still until a row comes."
    Seq(s"$all$silent: `$name` holds nothing back, and $rest") ++
      (if (node.spec.policy.dependsOnWallClock) Nil else Seq(LullAdvice))
  }

  /** The slowest substream is the newest too. */
  private def whyQuiet(h: HolderDetail): Seq[String] = {
    val silentMs = nowMs - h.activeAtMs
    val last = s"Nothing holds `$name` back: its last row came ${ago(h.activeAtMs)}"
    if (silentMs < QuietMs) Seq(s"$last.")
    else if (node.spec.policy.dependsOnWallClock)
      Seq(s"$last, and without rows time goes on with the wall clock.")
    else Seq(s"$last, and time moves only with rows.", LullAdvice)
  }

  /** What the one that holds time back is like, after the word "which". */
  private def state(h: HolderDetail): String = {
    val behind =
      if (brief.heldBackMs > 0) Seq(s"is ${Words.duration(brief.heldBackMs)} behind the newest")
      else Nil
    val unread = if (h.isBehind) {
      val rows = situation.unreadRows.get(name).filter(_ > 0)
      Seq(rows.fold("has rows to read")(n => s"has ${Words.count(n, "row")} to read"))
    } else Nil
    val never = if (!h.isRead) Seq("was never read") else Nil
    val silent =
      if (!h.isBehind && isSilent(h)) Seq(s"has had no row for ${silence(h)}") else Nil
    val all = behind ++ unread ++ never ++ silent
    if (all.size < 2) all.mkString else all.init.mkString(", ") + " and " + all.last
  }

  private def since: String = brief.heldSinceMs.fold("") { ms =>
    if (ms <= node.startedAtMs) s", since ${Words.time(ms)} or longer: the query was started then"
    else {
      val lasting = if (nowMs - ms < 1000) "" else s" (${Words.duration(nowMs - ms)})"
      s", since ${Words.time(ms)}$lasting"
    }
  }

  private def advice(h: HolderDetail): Seq[String] = Seq {
    if (h.isBehind)
      "  What helps: more cores, or more rows in a batch, so that the query catches up with what is " +
        "there to be read."
    else if (!isSilent(h))
      "  Its rows are that old: time waits for them, so that they are not late."
    else
      idleAfterMs match {
        case None =>
          "  It has no idle timeout, so time waits for ever. What helps: idleTimeout, such as " +
            "idleTimeout=\"60 seconds\", leaves a silent substream out."
        case Some(ms) if nowMs - h.activeAtMs <= ms =>
          s"  It is left out after ${Words.duration(ms)} without a row."
        case Some(ms) =>
          s"  That is longer than its idle timeout of ${Words.duration(ms)}, but silence counts only " +
            "when the query has read all that its sources have, and knows it."
      }
  }

  /** When the one that holds time back is idle, if ever: it is behind the others. */
  private def idleAfterMs: Option[Long] =
    node.spec.idleTimeoutMs.map(ms => node.spec.idleBehindMs.fold(ms)(math.max(_, ms)))

  /** What is to be said of the other substreams. */
  private def others: Seq[String] = {
    val unread =
      if (brief.unread < 2) Nil
      else
        Seq(
          s"${Words.number(brief.unread.toLong)} of its ${Words.number(known.toLong)} substreams " +
            "have rows to read."
        )
    if (brief.idle == 0 || brief.mark.idle) unread
    else {
      val are = if (brief.idle == 1) "is" else "are"
      unread :+ s"${Words.number(brief.idle.toLong)} of its ${Words.number(known.toLong)} " +
        s"substreams $are idle and left out: ${Words.names(node.someIdle, brief.idle.toLong)}."
    }
  }

  private def fromTheFuture: Seq[String] =
    if (future == 0) Nil
    else
      Seq(
        s"${Words.count(future, "row")} since the query was started had a time further in the " +
          "future than maxFutureSkew, and moved no time."
      )

  private def isHeld(h: HolderDetail): Boolean = h.isBehind || brief.heldBackMs > 0

  /** Not if it spoke when the stream last did, just now. */
  private def isSilent(h: HolderDetail): Boolean =
    nowMs - h.activeAtMs >= QuietMs || node.lastRowAtMs.exists(_ > h.activeAtMs)

  private def silence(h: HolderDetail): String = Words.duration(nowMs - h.activeAtMs)

  private def ago(ms: Long): String =
    if (nowMs - ms < 1000) "just now" else s"${Words.duration(nowMs - ms)} ago"

  private def part(h: HolderDetail): String =
    if (node.spec.columns.isEmpty) "the rows"
    else if (node.spec.columns.last.startsWith("partition ")) s"partition ${h.name}"
    else s"`${h.name}`"
}

private object NodeWords {

  /** For so long a stream may have no row before that is worth a word. */
  private val QuietMs = 60000L

  private val LullAdvice =
    "  What helps: a policy that goes on with the wall clock in a lull, such as limitingLagAndLull."
}
