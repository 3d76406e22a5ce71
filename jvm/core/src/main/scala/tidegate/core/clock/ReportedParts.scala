package tidegate.core.clock

/**
 * The parts of a node whose source itself reports its substreams, such as the partitions of a
 * topic.
 */
private[clock] final class ReportedParts(
    spec: NodeSpec,
    substreams: Substreams,
    silence: Silence,
    changes: NodeChanges
) {
  private var awaited = spec.hasParts
  private var parts: Map[String, Boolean] = _
  private var behind = Seq.empty[Substream]
  private var seenAt = Option.empty[Long]

  /** Whether the source has yet to report: nothing becomes visible before. */
  def areAwaited: Boolean = awaited

  /** Whether the source has ever reported. */
  def areReported: Boolean = parts != null

  /** When the source last reported, in epoch ms. */
  def seenAtMs: Option[Long] = seenAt

  /** How many parts have rows that the query has not read. */
  def behindCount: Int = behind.size

  def isReported(substream: Substream): Boolean = areReported && parts.contains(substream.name)

  /**
   * Takes in what the source reports.
   *
   * A part with rows that the query has not read is active: it holds time back even if it was never
   * read. A part that was read to its end without an event holds nothing back, and neither does a
   * part that does not exist any more, such as a partition of a deleted topic.
   *
   * @param unread
   *   by substream, whether there are rows that the query has not read; the same object if nothing
   *   has changed. `None` if the source reports nothing: then a substream counts from its first
   *   event on
   * @param seenAtMs
   *   when the source reported this
   * @return
   *   whether the parts differ from those before
   */
  def expect(unread: Option[Map[String, Boolean]], seenAtMs: Long): Boolean = {
    awaited = false
    unread.exists { reported =>
      val isChange = reported ne parts
      if (isChange) takeIn(reported, seenAtMs)
      behind.foreach(substreams.activate(_, seenAtMs))
      seenAt = Some(seenAtMs)
      isChange
    }
  }

  private def takeIn(reported: Map[String, Boolean], seenAtMs: Long): Unit = {
    parts = reported
    silence.lookAgain()
    // With append times, time advances without events, so even an empty part has a time.
    substreams.addAll(
      reported.collect {
        case (name, isBehind) if isBehind || spec.policy.isIngestionTime => name
      },
      seenAtMs
    )
    val all = substreams.all.toSeq
    all.foreach(s => s.isBehind = reported.getOrElse(s.name, false))
    behind = all.filter(_.isBehind)
    if (behind.exists(!substreams.isActive(_))) changes.note()
    // A part that is gone needs no place in the checkpoint either.
    all.filterNot(s => reported.contains(s.name)).foreach { s =>
      s.isRead = false
      silence.leaveOut(s)
    }
  }

  /**
   * A part that was read to its end without an event holds nothing back. If no part had an event,
   * the stream counts as one without substreams, and waits for the timeout.
   */
  def leaveOutUnread(): Unit =
    if (areReported && !spec.policy.isIngestionTime && substreams.all.exists(_.isRead))
      substreams.all.filter(s => !s.isRead && !s.isBehind).foreach(silence.leaveOut)
}
