package tidegate.core.clock

import scala.collection.mutable

import tidegate.core.policy.WatermarkPolicy
import tidegate.core.{ActiveMinimum, NoWatermark, Saturating}

/** The substreams of a node, and the minimum over the watermarks of those that are active. */
private[clock] final class Substreams(spec: NodeSpec, changes: NodeChanges) {
  private val byName = mutable.LinkedHashMap.empty[String, Substream]

  /** The numbers of its inputs are the numbers of the substreams. */
  private val minimum = new ActiveMinimum
  private val byNumber = mutable.ArrayBuffer.empty[Substream]

  def size: Int = byName.size

  def isEmpty: Boolean = byName.isEmpty

  def all: Iterator[Substream] = byName.valuesIterator

  def active: Iterator[Substream] = all.filter(isActive)

  def apply(name: String): Substream = byName(name)

  def contains(name: String): Boolean = byName.contains(name)

  /**
   * Adds the substreams of these names that are new.
   *
   * @throws TooManySubstreamsException
   *   if there are too many substreams
   */
  def addAll(names: Iterable[String], activeAtMs: Long): Unit = {
    val added = names.filterNot(contains).toSeq.sorted
    added.foreach { name =>
      spec.limit.check(size + 1)
      add(name, activeAtMs).newAtMs = Some(activeAtMs)
    }
    if (added.nonEmpty) {
      changes.note()
      changes.add(ClockEvent.Appeared(spec.name, added))
    }
  }

  /** A new substream, active and without a watermark. */
  def add(name: String, activeAtMs: Long): Substream = {
    val substream = new Substream(name, minimum.add(), spec.policy.create())
    substream.activeAtMs = activeAtMs
    byName(name) = substream
    if (substream.number < byNumber.size) byNumber(substream.number) = substream
    else byNumber += substream
    substream
  }

  def remove(substream: Substream): Unit = {
    byName -= substream.name
    minimum.remove(substream.number)
  }

  def isActive(substream: Substream): Boolean = minimum.isActive(substream.number)

  /** Makes a substream active that was active at a moment. */
  def activate(substream: Substream, seenAtMs: Long): Unit = {
    substream.activeAtMs = math.max(substream.activeAtMs, seenAtMs)
    minimum.activate(substream.number)
  }

  /** Leaves out a substream; `false` if it was already. */
  def deactivate(substream: Substream): Boolean = {
    val isChange = isActive(substream)
    minimum.deactivate(substream.number)
    isChange
  }

  /** Whether no substream is active. */
  def areIdle: Boolean = minimum.isIdle

  def activeCount: Int = minimum.activeCount

  /** Takes in a watermark, if it is above the last one. */
  def raise(substream: Substream, watermarkMs: Option[Long]): Unit =
    watermarkMs
      .filter(_ > orLowest(substream))
      .foreach(minimum.observe(substream.number, _))

  def watermarkMs(substream: Substream): Option[Long] = NoWatermark.toOption(orLowest(substream))

  /** The minimum over those that are active; if none is, the highest watermark that there was. */
  def lowestMs: Option[Long] = NoWatermark.toOption(minimum.value)

  /** The substream that time waits for; none if all are idle. */
  def holder: Option[Substream] =
    if (minimum.isIdle) None else minimum.decidedBy.map(byNumber)

  /** The substream that is ahead of all; by name among equals, so that a restart finds the same. */
  def furthest: Option[Substream] = all.maxByOption(s => (orLowest(s), s.name))

  /** Whether rows that continue where the substream was are late as soon as it is left out. */
  def isOvertaken(substream: Substream): Boolean = orLowest(substream) < minimum.top

  /** How far a substream is behind the newest, in ms; 0 as long as it has no watermark. */
  def distanceMs(substream: Substream): Long =
    watermarkMs(substream).fold(0L)(Saturating.subtract(minimum.top, _))

  private def orLowest(substream: Substream): Long = minimum.watermark(substream.number)
}

/**
 * What the clock of a node remembers of one substream. [[Substreams]] keep its watermark, and
 * whether it is idle.
 *
 * @param number
 *   of its input of the minimum
 */
private[clock] final class Substream(
    val name: String,
    val number: Int,
    val policy: WatermarkPolicy
) {

  /** When the substream last showed activity, in epoch ms. */
  var activeAtMs: Long = Long.MinValue

  /** When it appeared, in epoch ms; `None` if it did before the start of the run. */
  var newAtMs: Option[Long] = None

  /** Whether an event was read, with or without a usable time. */
  var isRead: Boolean = false

  /** Whether the source has rows of the substream that were not read. */
  var isBehind: Boolean = false

  /** Whether the log has that it holds time back; not again before a row of it comes. */
  var isLogged: Boolean = false
}

/** What has changed in a node. */
private[clock] final class NodeChanges {
  private val events = mutable.ArrayBuffer.empty[ClockEvent]
  private var count = 0L

  /** A number that grows with each change. */
  def version: Long = count

  def note(): Unit = count += 1

  def add(event: ClockEvent): Unit = events += event

  /** The events since this was last asked, for the log. */
  def takeEvents(): Seq[ClockEvent] = {
    val taken = events.toVector
    events.clear()
    taken
  }
}
