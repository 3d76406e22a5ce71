package tidegate.core.clock

import tidegate.core.window.WindowGrid

/** Where the watermark of an operator comes from. The plan decides it; the clock has the values. */
sealed trait InputTime extends Product {

  /** The times that this one is computed from. */
  def inputs: Seq[InputTime]

  /** The names of the watermark nodes that this time is computed from. */
  lazy val nodes: Seq[String] = inputs.flatMap(_.nodes).distinct

  /** Cached, because times of chained joins contain the same parts many times. */
  final override lazy val hashCode: Int =
    productIterator.foldLeft(productPrefix.hashCode)((hash, part) => 31 * hash + part.hashCode)
}

/** The watermark of one node. */
final case class NodeTime(name: String) extends InputTime {
  override def inputs: Seq[InputTime] = Nil
  override lazy val nodes: Seq[String] = Seq(name)
  override def toString: String = name
}

/** The time after a union: the minimum over the inputs that are not idle. */
final case class CoalescedTime(inputs: Seq[InputTime]) extends InputTime {
  override def toString: String = inputs.mkString("union(", ", ", ")")
}

/** The time after a window aggregation: only ends of windows. */
final case class GridTime(input: InputTime, grid: WindowGrid) extends InputTime {
  override def inputs: Seq[InputTime] = Seq(input)
  override def toString: String =
    s"windows($input, ${grid.sizeMs}, ${grid.slideMs}, ${grid.offsetMs})"
}

/**
 * A time that is `byMs` behind another, as a join's bound allows one time to be that much older.
 */
final case class BehindTime(input: InputTime, byMs: Long) extends InputTime {
  override def inputs: Seq[InputTime] = Seq(input)
  override def toString: String = s"$input - $byMs"
}

/** The maximum: of several bounds of a join the tightest applies. */
final case class TightestTime(inputs: Seq[InputTime]) extends InputTime {
  override def toString: String = inputs.mkString("max(", ", ", ")")
}

/**
 * The time after a join: the minimum over the times of one key, and over the limits of the rows
 * that the state may still emit.
 *
 * @param sides
 *   the times of both sides: this time is idle only if all of them are
 */
final case class JoinTime(inputs: Seq[InputTime], sides: Seq[InputTime]) extends InputTime {
  override def toString: String = inputs.mkString("join(", ", ", ")")
}
