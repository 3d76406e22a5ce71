package tidegate.core.async

/**
 * The rows inside that entered between the same two watermarks.
 *
 * @param watermarks
 *   the last watermark of each key when the rows entered, in epoch ms
 */
private[async] final class Segment(val watermarks: Map[Byte, Long]) {
  var inFlight: Int = 0
}

private[async] object Segment {

  /** The rows inside by the watermark of a key behind which they entered. */
  def counts(segments: Iterable[Segment], key: Byte): Map[Option[Long], Int] =
    segments
      .filter(_.inFlight > 0)
      .groupMapReduce(_.watermarks.get(key))(_.inFlight)(_ + _)
}
