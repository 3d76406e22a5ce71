package tidegate.core.async

import scala.collection.mutable

import tidegate.core.{Idle, Watermark}

/**
 * Answers leave at once. The watermarks that have left are those behind which the oldest row inside
 * entered: a row that entered before a watermark is in an earlier segment and holds it back.
 */
private[async] final class UnorderedCalls[R](maxInFlight: Int) extends AsyncTransform[R] {
  private val segments = mutable.ArrayDeque(new Segment(Map.empty))
  private val segmentOf = mutable.LongMap.empty[Segment]
  private var emitted = Map.empty[Byte, Long]
  private var isIdleWaiting = false
  private var nextRow = 0L

  override def offer(): Option[Long] =
    if (inFlight >= maxInFlight) None
    else {
      val row = nextRow
      nextRow += 1
      segments.last.inFlight += 1
      segmentOf(row) = segments.last
      isIdleWaiting = false
      Some(row)
    }

  override def observeWatermark(key: Byte, timestampMs: Long): Seq[AsyncOutput[R]] = {
    AsyncTransform.checkWatermark(key, timestampMs)
    val watermarks = segments.last.watermarks
    if (watermarks.get(key).exists(timestampMs <= _)) Nil
    else {
      isIdleWaiting = false
      segments.append(new Segment(watermarks.updated(key, timestampMs)))
      passFree()
    }
  }

  override def observeIdle(): Seq[AsyncOutput[R]] = {
    isIdleWaiting = true
    passFree()
  }

  override def answer(row: Long, result: R): Seq[AsyncOutput[R]] = {
    leave(row)
    Answer(row, result) +: passFree()
  }

  override def fail(row: Long, error: Throwable): Seq[AsyncOutput[R]] = {
    leave(row)
    throw error
  }

  override def inFlight: Int = segmentOf.size

  override def inFlight(key: Byte): Map[Option[Long], Int] = Segment.counts(segments, key)

  private def leave(row: Long): Unit =
    segmentOf.remove(row).getOrElse(AsyncTransform.notInFlight(row)).inFlight -= 1

  private def passFree(): Seq[AsyncOutput[R]] = {
    while (segments.size > 1 && segments.head.inFlight == 0) segments.removeHead()
    val free = segments.head.watermarks
    val passed = free.toSeq.filter { case (key, ms) => emitted.get(key).forall(_ < ms) }.sorted
    emitted = free
    val isIdle = isIdleWaiting && inFlight == 0
    if (isIdle) isIdleWaiting = false
    passed.map { case (key, ms) => Passed(Watermark(key, ms)) } ++
      Option.when(isIdle)(Passed(Idle))
  }
}
