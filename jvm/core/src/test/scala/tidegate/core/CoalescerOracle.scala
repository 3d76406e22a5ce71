package tidegate.core

import tidegate.core.CoalescerOracle._

/** What a coalescer must do, recomputed plainly over all inputs after every operation. */
final class CoalescerOracle(inputCount: Int) {
  private var done = Set.empty[Int]
  private var idle = Set.empty[Int]
  private var watermarks = Map.empty[Byte, Map[Int, Long]]
  private var forwarded = Map.empty[Byte, Long]
  private var saidIdle = false

  def coalesced(key: Byte): Option[Long] = forwarded.get(key)
  def topObserved(key: Byte): Option[Long] = watermarks.get(key).map(_.values.max)
  def isIdle: Boolean = saidIdle

  def apply(operation: Operation): Outcome = operation match {
    case SendDone(input) if done(input) => Forwarded(Nil)
    case SendDone(input)                =>
      done += input
      idle -= input
      if (active.nonEmpty) accept(()) else Forwarded(rise(topObserved))
    case other if done(other.input)                     => RefusedAfterDone
    case Send(input, key, at) if !rises(input, key, at) => RefusedAsNotRising
    case Send(input, key, at)                           =>
      accept {
        idle -= input
        watermarks += key -> (watermarks.getOrElse(key, Map.empty) + (input -> at))
      }
    case SendEvent(input)               => accept(idle -= input)
    case SendIdle(input) if idle(input) => Forwarded(Nil)
    case SendIdle(input)                =>
      idle += input
      if (active.nonEmpty) accept(()) else allIdle()
  }

  private def active: Seq[Int] =
    (0 until inputCount).filterNot(input => done(input) || idle(input))

  private def rises(input: Int, key: Byte, timestampMs: Long): Boolean =
    watermarks.get(key).flatMap(_.get(input)).forall(_ < timestampMs)

  private def accept(change: => Unit): Outcome = {
    change
    if (active.nonEmpty) saidIdle = false
    Forwarded(rise { key =>
      val ofActive = active.map(watermarks(key).get)
      if (ofActive.nonEmpty && ofActive.forall(_.isDefined)) ofActive.flatten.minOption else None
    })
  }

  private def allIdle(): Outcome = {
    saidIdle = true
    Forwarded(rise(topObserved) :+ Idle)
  }

  private def rise(value: Byte => Option[Long]): Seq[WatermarkSignal] =
    for {
      key <- watermarks.keys.toSeq.sorted
      timestampMs <- value(key)
      if forwarded.get(key).forall(_ < timestampMs)
    } yield {
      forwarded += key -> timestampMs
      Watermark(key, timestampMs)
    }
}

object CoalescerOracle {

  sealed trait Operation { def input: Int }
  final case class Send(input: Int, key: Byte, timestampMs: Long) extends Operation
  final case class SendEvent(input: Int) extends Operation
  final case class SendIdle(input: Int) extends Operation
  final case class SendDone(input: Int) extends Operation

  sealed trait Outcome
  final case class Forwarded(signals: Seq[WatermarkSignal]) extends Outcome
  case object RefusedAfterDone extends Outcome
  case object RefusedAsNotRising extends Outcome

  /** What the coalescer under test does with an operation. */
  def perform(coalescer: KeyedWatermarkCoalescer, operation: Operation): Outcome =
    try
      Forwarded(operation match {
        case Send(input, key, timestampMs) => coalescer.observeWatermark(input, key, timestampMs)
        case SendEvent(input)              => coalescer.observeEvent(input)
        case SendIdle(input)               => coalescer.observeIdle(input)
        case SendDone(input)               => coalescer.observeDone(input)
      })
    catch {
      case _: NonMonotonicWatermarkException => RefusedAsNotRising
      case _: IllegalStateException          => RefusedAfterDone
    }
}
