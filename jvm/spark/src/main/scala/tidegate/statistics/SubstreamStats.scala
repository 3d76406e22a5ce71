package tidegate.statistics

import java.io.{ObjectInputStream, ObjectOutputStream}

import scala.collection.mutable

import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.util.AccumulatorV2
import tidegate.core.clock.SubstreamLimit

/**
 * The highest event time of every substream in one batch, and what all of its times are like.
 *
 * Every value that counts for a watermark is a maximum, so that task retries, speculation and a
 * second action on the same batch change nothing.
 *
 * Spark registers a deserialized accumulator with its task before the fields of this class are
 * read, and from then on a heartbeat may ask `isZero`, in another thread. An exception would end
 * all heartbeats of the executor.
 *
 * @param futureBoundMicros
 *   an event with a higher time, in µs, moves no watermark and is counted
 * @param limit
 *   a task that finds more substreams fails
 * @param lateBoundMicros
 *   an event with a lower time, in µs, is below the watermark and is counted
 */
final class SubstreamStats(
    val futureBoundMicros: Long,
    limit: SubstreamLimit = SubstreamLimit.none,
    lateBoundMicros: Long = Long.MinValue
) extends AccumulatorV2[Long, Map[String, Long]] {

  /** The times that the task of this copy has seen. */
  @transient private var tree = newTree

  /** The highest times that other copies have seen: by name, in µs. */
  @transient private var tops = mutable.Map.empty[String, Long]
  @volatile private var future = PartitionCounts.none
  private var times = new TimesSeen

  /** The events below the watermark that other copies have seen, by name. */
  @transient private var late = mutable.Map.empty[String, PartitionCounts]

  @transient private var futureTotal: SQLMetric = _

  /** Adds the events too far in the future to a metric on the driver, as they are merged. */
  def addFutureTo(metric: SQLMetric): Unit = futureTotal = metric

  private def newTree = new SubstreamNode(new SubstreamCounter(limit))

  /** The node where the search for a row's substream begins. */
  def root: SubstreamNode = tree

  /**
   * Takes in an event of a substream, with its time in µs, from a partition of the watermark's
   * node. This is not the partition of the task, which has another number after `coalesce`.
   */
  def observe(substream: SubstreamNode, micros: Long, partition: Int): Unit = {
    times.add(micros)
    if (micros < lateBoundMicros) {
      substream.observe(micros, futureBoundMicros)
      substream.addLate(partition)
    } else if (substream.observe(micros, futureBoundMicros)) future = future.increased(partition)
  }

  /** By name, the highest time in µs; `NoTime` if all events were too far in the future. */
  override def value: Map[String, Long] = all.toMap

  /** As `value`, but without a copy on the driver, which asks most often. */
  def all: collection.Map[String, Long] =
    if (tree.isUntouched) tops
    else {
      val merged = tops.clone()
      tree.substreams().foreach { case (name, node) => raise(merged, name, node.top) }
      merged
    }

  /**
   * How many events were below the watermark, by name; substreams without such events are left out.
   */
  def lateRows: collection.Map[String, Long] = allLate.view.mapValues(_.total).toMap

  private def allLate: mutable.Map[String, PartitionCounts] = {
    val merged = late.clone()
    if (!tree.isUntouched)
      tree.substreams().filterNot(_._2.lateRows.isEmpty).foreach { case (name, node) =>
        merged(name) = merged.getOrElse(name, PartitionCounts.none).max(node.lateRows)
      }
    merged
  }

  private def raise(times: mutable.Map[String, Long], name: String, micros: Long): Unit =
    times(name) = math.max(micros, times.getOrElse(name, SubstreamNode.NoTime))

  /** The times of all events. The mean counts a row again if its task runs again, as in Spark. */
  def seen: TimesSeen = times

  /** How many events were further in the future than allowed. */
  def futureEvents: Long = future.total

  override def isZero: Boolean = {
    val (others, own) = (tops, tree)
    (others == null || others.isEmpty) && (own == null || own.isUntouched)
  }

  /** Only the end of a task matters, and heartbeats need not carry the times of all substreams. */
  override def excludeFromHeartbeat: Boolean = true

  override def copy(): SubstreamStats = synchronized {
    val other = new SubstreamStats(futureBoundMicros, limit, lateBoundMicros)
    other.merge(this)
    other
  }

  override def copyAndReset(): SubstreamStats =
    new SubstreamStats(futureBoundMicros, limit, lateBoundMicros)

  override def reset(): Unit = {
    tree = newTree
    tops.clear()
    late.clear()
    future = PartitionCounts.none
    times = new TimesSeen
  }

  override def add(micros: Long): Unit = observe(tree, micros, partition = 0)

  /** The scheduler may merge a task that ends late while the clock copies what was seen. */
  override def merge(other: AccumulatorV2[Long, Map[String, Long]]): Unit = synchronized {
    val that = other.asInstanceOf[SubstreamStats]
    // One substream too many is enough for the clock to refuse. Without this limit, many tasks that
    // each stay below it would fill the driver's memory first.
    that.all.foreach { case (name, micros) =>
      if (!limit.isExceededBy(tops.size) || tops.contains(name)) raise(tops, name, micros)
    }
    that.allLate.foreach { case (name, counts) =>
      if (tops.contains(name)) late(name) = late.getOrElse(name, PartitionCounts.none).max(counts)
    }
    val before = future.total
    future = future.max(that.future)
    if (futureTotal != null) futureTotal += future.total - before
    times.merge(that.times)
  }

  // The tree stays in its task; only names and times are sent.
  private def writeObject(out: ObjectOutputStream): Unit = {
    out.defaultWriteObject()
    out.writeObject(all.toArray)
    out.writeObject(allLate.toArray)
  }

  private def readObject(in: ObjectInputStream): Unit = {
    in.defaultReadObject()
    tree = newTree
    tops = mutable.Map.from(in.readObject().asInstanceOf[Array[(String, Long)]])
    late = mutable.Map.from(in.readObject().asInstanceOf[Array[(String, PartitionCounts)]])
  }
}
