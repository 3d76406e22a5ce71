package tidegate.core.figures

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

  private val lastBatches = mutable.ArrayDeque.empty[BatchFigures]
  private val lastEvents = mutable.ArrayDeque.empty[TimeEvent]

  def add(batch: BatchFigures): Unit = append(lastBatches, batch, maxBatches)

  def add(event: TimeEvent): Unit = append(lastEvents, event, maxEvents)

  /** The oldest first; the answer does not change when the query continues. */
  def batches: Seq[BatchFigures] = synchronized(lastBatches.toVector)

  /** The same of events. */
  def events: Seq[TimeEvent] = synchronized(lastEvents.toVector)

  private def append[T](all: mutable.ArrayDeque[T], one: T, max: Int): Unit = synchronized {
    if (max > 0) {
      if (all.size >= max) all.removeHead(): Unit
      all += one
    }
  }
}
