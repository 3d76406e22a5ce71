package tidegate.core.async

import tidegate.core.{Idle, Watermark}

/** Remembers all that ever entered, and computes anew after each step what must have left. */
private[async] final class AsyncTransformModel(ordered: Boolean, maxInFlight: Int) {
  import AsyncTransformModel._

  private var entered = Vector.empty[Entered]

  /** In the order of the answers. */
  private var answered = Vector.empty[Long]
  private var left = Vector.empty[AsyncOutput[Long]]

  private def rows: Vector[Long] = entered.collect { case Row(n) => n }

  private def leftRows: Set[Long] = left.collect { case Answer(row, _) => row }.toSet

  def waiting: Vector[Long] = rows.filterNot(answered.contains)

  def inFlight: Vector[Long] = rows.filterNot(leftRows)

  def offer(): Option[Long] =
    Option.when(inFlight.size < maxInFlight) {
      val number = rows.size.toLong
      entered :+= Row(number)
      number
    }

  def observe(key: Byte, ms: Long): Seq[AsyncOutput[Long]] = {
    val isHigher = entered.forall {
      case Wm(`key`, before) => before < ms
      case _                 => true
    }
    if (isHigher) entered :+= Wm(key, ms)
    newlyLeft()
  }

  def idle(): Seq[AsyncOutput[Long]] = {
    entered :+= Quiet
    newlyLeft()
  }

  def answer(row: Long): Seq[AsyncOutput[Long]] = {
    answered :+= row
    newlyLeft()
  }

  def inFlight(key: Byte): Map[Option[Long], Int] =
    inFlight
      .groupBy { row =>
        entered.takeWhile(_ != Row(row)).collect { case Wm(`key`, ms) => ms }.lastOption
      }
      .map { case (watermark, rows) => watermark -> rows.size }

  private def newlyLeft(): Seq[AsyncOutput[Long]] = {
    // Up to the first row that has no answer, time may go on.
    val free = entered.takeWhile {
      case Row(n) => answered.contains(n)
      case _      => true
    }
    val out = if (ordered) inOrder(free) else outOfOrder(entered)
    left ++= out
    // Idleness that left is over; idleness that waits out of order ends with the next entry.
    entered = entered.zipWithIndex.collect {
      case (entry, i) if entry != Quiet || stays(i, free.size) => entry
    }
    out
  }

  private def stays(i: Int, free: Int): Boolean =
    i >= free && (ordered || i == entered.size - 1)

  /** What left earlier is a row that has left, or a watermark not above one that has left. */
  private def inOrder(free: Vector[Entered]): Vector[AsyncOutput[Long]] =
    free.zipWithIndex.flatMap {
      case (Row(n), _) => Option.when(!leftRows(n))(Answer(n, n))
      case (Wm(key, _), i) if free.lift(i + 1).exists(isOf(key)) => None
      case (Wm(key, ms), _) => Option.when(!hasLeft(key, ms))(wm(key, ms))
      case (Quiet, i)       => Option.when(!free.lift(i + 1).contains(Quiet))(Passed(Idle))
    }

  /** From one watermark behind a row to the next such watermark. */
  private def outOfOrder(rest: Vector[Entered]): Vector[AsyncOutput[Long]] = {
    val (signals, behind) = rest.span(!_.isInstanceOf[Row])
    val (some, next) = behind.span(!_.isInstanceOf[Wm])
    val between = some.collect { case Row(n) => n }
    val last = signals.collect { case Wm(key, ms) => key -> ms }.toMap
    val passed = last.toVector.sorted.collect { case (key, ms) if !hasLeft(key, ms) => wm(key, ms) }
    val answers = answered.filter(n => between.contains(n) && !leftRows(n)).map(n => Answer(n, n))
    val isOver = between.forall(answered.contains)
    val isIdle = isOver && next.isEmpty && rest.lastOption.contains(Quiet)
    passed ++ answers ++ Option.when(isIdle)(Passed(Idle)) ++
      (if (isOver && next.nonEmpty) outOfOrder(next) else Vector.empty)
  }

  private def hasLeft(key: Byte, ms: Long): Boolean = left.exists {
    case Passed(Watermark(`key`, before)) => before >= ms
    case _                                => false
  }

  private def isOf(key: Byte)(entry: Entered): Boolean = entry match {
    case Wm(`key`, _) => true
    case _            => false
  }

  private def wm(key: Byte, ms: Long): AsyncOutput[Long] = Passed(Watermark(key, ms))
}

private[async] object AsyncTransformModel {
  sealed trait Entered
  final case class Row(number: Long) extends Entered
  final case class Wm(key: Byte, ms: Long) extends Entered
  case object Quiet extends Entered
}
