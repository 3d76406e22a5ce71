package tidegate.core.async

import scala.collection.mutable

/**
 * The rows inside that entered between the same two watermarks.
 *
 * @param watermarks
 *   the last watermark of each key when the rows entered, in epoch ms
 */
private[async] final class Segment[R](val watermarks: Map[Byte, Long]) {

  /** How many rows have no answer yet. */
  var waiting: Int = 0

  /** Answers that wait for rows of earlier segments, in the order in which they came. */
  val held: mutable.ArrayDeque[AsyncOutput[R]] = mutable.ArrayDeque.empty

  def inFlight: Int = waiting + held.size
}

private[async] object Segment {

  /** The rows inside by the watermark of a key behind which they entered. */
  def counts(segments: Iterable[Segment[_]], key: Byte): Map[Option[Long], Int] =
    segments
      .filter(_.inFlight > 0)
      .groupMapReduce(_.watermarks.get(key))(_.inFlight)(_ + _)
}
