package tidegate.core.async

import scala.collection.mutable

import tidegate.core.{Idle, Watermark}

/**
 * Answers to rows of the first segment leave at once; those of a later one when all rows before it
 * have left. So no answer passes a watermark, in either direction.
 */
private[async] final class UnorderedCalls[R](maxInFlight: Int) extends AsyncTransform[R] {
  private val segments = mutable.ArrayDeque(new Segment[R](Map.empty))
  private val segmentOf = mutable.LongMap.empty[Segment[R]]
  private var emitted = Map.empty[Byte, Long]
  private var isIdleWaiting = false
  private var rows = 0
  private var nextRow = 0L

  override def offer(): Option[Long] =
    if (rows >= maxInFlight) None
    else {
      val row = nextRow
      nextRow += 1
      rows += 1
      segments.last.waiting += 1
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
    ended(row).held.append(Answer(row, result))
    passFree()
  }

  override def fail(row: Long, error: Throwable): Seq[AsyncOutput[R]] = {
    val _ = ended(row)
    rows -= 1
    throw error
  }

  override def inFlight: Int = rows

  override def inFlight(key: Byte): Map[Option[Long], Int] = Segment.counts(segments, key)

  private def ended(row: Long): Segment[R] = {
    val segment = segmentOf.remove(row).getOrElse(AsyncTransform.notInFlight(row))
    segment.waiting -= 1
    segment
  }

  private def passFree(): Seq[AsyncOutput[R]] = {
    val out = Vector.newBuilder[AsyncOutput[R]]
    out ++= release()
    while (segments.size > 1 && segments.head.waiting == 0) {
      segments.removeHead()
      // Of watermarks with no row in between, the next one has those of this one.
      if (segments.size == 1 || segments.head.inFlight > 0) out ++= passed() ++ release()
    }
    if (isIdleWaiting && rows == 0) {
      isIdleWaiting = false
      out += Passed(Idle)
    }
    out.result()
  }

  private def release(): Seq[AsyncOutput[R]] = {
    val free = segments.head.held.removeAll()
    rows -= free.size
    free
  }

  private def passed(): Seq[AsyncOutput[R]] = {
    val higher = segments.head.watermarks.filter { case (key, ms) =>
      emitted.get(key).forall(_ < ms)
    }
    emitted = segments.head.watermarks
    higher.toSeq.sorted.map { case (key, ms) => Passed(Watermark(key, ms)) }
  }
}
