package tidegate.core.clock

import scala.collection.mutable

/** A source in memory, with substreams that a batch may read in part. */
final class Feed {
  private val rows = mutable.SortedMap.empty[String, Vector[FeedRow]]
  private var fixed: Option[Map[String, Int]] = None
  private var reported = Map.empty[String, Int]

  /** Up to where the query has read each substream. */
  private var read = Map.empty[String, Int]
  private var lastUnread = Map.empty[String, Boolean]

  /** The most rows of a substream in a batch. */
  var limit: String => Int = _ => Int.MaxValue

  /** A substream without a row is there too. */
  def send(substream: String, sent: Seq[FeedRow]): Unit =
    rows(substream) = rows.getOrElse(substream, Vector.empty) ++ sent

  /** As a partition of a topic that is deleted. */
  def delete(substream: String): Unit = { val _ = rows.remove(substream) }

  /** A run that ends by itself reads what is there now. */
  def fix(): Unit = fixed = Some(latest)

  def release(): Unit = fixed = None

  private def latest: Map[String, Int] = rows.view.mapValues(_.size).toMap

  /** Says what there is, and then gives up to where a batch may read. */
  def poll(): Map[String, Int] = {
    reported = fixed.getOrElse(latest)
    val bounds = reported
    bounds.map { case (name, end) =>
      val from = read.getOrElse(name, 0)
      val most = limit(name)
      name -> (if (end - from > most) from + most else end)
    }
  }

  /** The rows of a batch that reads up to there. */
  def take(ends: Map[String, Int]): Map[String, Seq[FeedRow]] = {
    val batch = ends.map { case (name, end) =>
      name -> rows.getOrElse(name, Vector.empty).slice(read.getOrElse(name, 0), end)
    }
    read = ends
    batch.filter(_._2.nonEmpty)
  }

  def hasMoved(ends: Map[String, Int]): Boolean = ends != read

  def isReadUp(ends: Map[String, Int]): Boolean = ends == reported

  /** Of which substreams there is more; the same object as long as nothing changes. */
  def unread(ends: Map[String, Int]): Option[Map[String, Boolean]] = {
    val now = reported.map { case (name, end) => name -> ends.get(name).forall(_ < end) }
    if (now != lastUnread) lastUnread = now
    Some(lastUnread).filter(_.nonEmpty)
  }
}
