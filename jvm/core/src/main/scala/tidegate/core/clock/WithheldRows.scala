package tidegate.core.clock

import scala.collection.mutable

/** Notices a source that reports rows for a long time and gives none. */
private[clock] final class WithheldRows(nodes: Seq[NodeSpec]) {

  private val patience = nodes.map(n => n.name -> new Patience(n.stallMs)).toMap
  private val since = mutable.Map.empty[String, Long]
  private val events = mutable.ArrayBuffer.empty[ClockEvent]

  /**
   * Takes in what the sources said in a round.
   *
   * @param withheld
   *   by node, a source that reported rows and gave none
   */
  def note(withheld: Map[String, String], nowMs: Long): Unit = {
    if (since.nonEmpty) since.filterInPlace((node, _) => withheld.contains(node))
    for ((node, source) <- withheld; own <- patience.get(node)) {
      val forMs = nowMs - since.getOrElseUpdate(node, { own.begin(); nowMs })
      if (own.endsAfter(forMs)) events += ClockEvent.Withheld(node, source, forMs)
    }
  }

  /** What has happened since this was last asked. */
  def takeEvents(): Seq[ClockEvent] =
    if (events.isEmpty) Nil
    else {
      val taken = events.toVector
      events.clear()
      taken
    }
}
