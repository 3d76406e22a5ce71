package tidegate.core.sight

import scala.collection.mutable

/**
 * What is remembered of a query's time while it runs: its last batches, and the last things that
 * happened. What is older is forgotten, so that a query may run for a year.
 *
 * Written by the thread of the query, read by all threads.
 *
 * @param maxBatches
 *   how many batches are remembered
 * @param maxEvents
 *   how many events are remembered
 */
final class QueryMemory(maxBatches: Int, maxEvents: Int) {

  private val batches = mutable.ArrayDeque.empty[BatchSight]
  private val events = mutable.ArrayDeque.empty[SightEvent]

  def add(batch: BatchSight): Unit = synchronized(append(batches, batch, maxBatches))

  def add(event: SightEvent): Unit = synchronized(append(events, event, maxEvents))

  /** All that is remembered now; it does not change when the query goes on. */
  def snapshot: MemorySnapshot = synchronized(MemorySnapshot(batches.toVector, events.toVector))

  /** The last batches, the oldest first; at most `n` of them. */
  def lastBatches(n: Int): Seq[BatchSight] = synchronized(batches.takeRight(n).toVector)

  private def append[T](all: mutable.ArrayDeque[T], one: T, max: Int): Unit =
    if (max > 0) {
      if (all.size >= max) all.removeHead(): Unit
      all += one
    }
}

/** What is remembered of a query at one moment, the oldest first. */
final case class MemorySnapshot(batches: Seq[BatchSight], events: Seq[SightEvent]) {

  /** The last of both, at most `n` of each. */
  def last(n: Int): MemorySnapshot = MemorySnapshot(batches.takeRight(n), events.takeRight(n))
}

object MemorySnapshot {
  val empty: MemorySnapshot = MemorySnapshot(Nil, Nil)
}
