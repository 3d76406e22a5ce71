package tidegate.core.async

import scala.collection.mutable

import tidegate.core.{Idle, Watermark, WatermarkSignal}

/** A queue of rows and signals: what is at its head leaves as soon as it can. */
private[async] final class OrderedCalls[R](maxInFlight: Int) extends AsyncTransform[R] {
  import OrderedCalls._

  private val queue = mutable.ArrayDeque.empty[Entry[R]]
  private val waiting = mutable.LongMap.empty[Row[R]]
  private var watermarks = Map.empty[Byte, Long]
  private var rows = 0
  private var nextRow = 0L

  override def offer(): Option[Long] =
    if (rows >= maxInFlight) None
    else {
      val row = new Row[R](nextRow, watermarks)
      queue.append(row)
      waiting(nextRow) = row
      nextRow += 1
      rows += 1
      Some(row.number)
    }

  override def observeWatermark(key: Byte, timestampMs: Long): Seq[AsyncOutput[R]] = {
    AsyncTransform.checkWatermark(key, timestampMs)
    if (watermarks.get(key).exists(timestampMs <= _)) Nil
    else {
      watermarks = watermarks.updated(key, timestampMs)
      queue.lastOption match {
        case Some(Signal(Watermark(`key`, _))) => queue.removeLast()
        case _                                 => ()
      }
      queue.append(Signal(Watermark(key, timestampMs)))
      flush()
    }
  }

  override def observeIdle(): Seq[AsyncOutput[R]] = {
    if (!queue.lastOption.contains(Signal(Idle))) queue.append(Signal(Idle))
    flush()
  }

  override def answer(row: Long, result: R): Seq[AsyncOutput[R]] = end(row, Right(result))

  override def fail(row: Long, error: Throwable): Seq[AsyncOutput[R]] = end(row, Left(error))

  override def inFlight: Int = rows

  override def inFlight(key: Byte): Map[Option[Long], Int] =
    queue
      .collect { case row: Row[R] => row.watermarks.get(key) }
      .groupMapReduce(identity)(_ => 1)(_ + _)

  private def end(number: Long, ended: Either[Throwable, R]): Seq[AsyncOutput[R]] = {
    waiting.remove(number).getOrElse(AsyncTransform.notInFlight(number)).ended = Some(ended)
    flush()
  }

  private def flush(): Seq[AsyncOutput[R]] = {
    val out = Vector.newBuilder[AsyncOutput[R]]
    while (queue.headOption.exists(_.canLeave)) queue.removeHead() match {
      case Signal(signal) => out += Passed(signal)
      case row: Row[R]    =>
        rows -= 1
        row.ended.foreach(_.fold(error => throw error, out += Answer(row.number, _)))
    }
    out.result()
  }
}

private object OrderedCalls {

  sealed trait Entry[R] {
    def canLeave: Boolean
  }

  final case class Signal[R](signal: WatermarkSignal) extends Entry[R] {
    override def canLeave: Boolean = true
  }

  /** A row, and how its call has ended, if it has. */
  final class Row[R](val number: Long, val watermarks: Map[Byte, Long]) extends Entry[R] {
    var ended: Option[Either[Throwable, R]] = None
    override def canLeave: Boolean = ended.isDefined
  }
}
