package tidegate.columns

/** Where the watermark of an operator comes from. Decided on the plan; the clock has the values. */
sealed trait InputTime {

  /** The times that it is made of. */
  def inputs: Seq[InputTime]

  /** The names of the watermark nodes that it is made of. */
  def nodes: Seq[String] = inputs.flatMap(_.nodes).distinct
}

/** The watermark of one node. */
final case class NodeTime(name: String) extends InputTime {
  override def inputs: Seq[InputTime] = Nil
  override def nodes: Seq[String] = Seq(name)
  override def toString: String = name
}

/** The minimum over the inputs that are not idle: after a union. */
final case class CoalescedTime(inputs: Seq[InputTime]) extends InputTime {

  /** What it is made of: under this text the clock remembers its value, also over a restart. */
  override def toString: String = inputs.mkString("union(", ", ", ")")
}

/** The ends of windows only: after a window aggregation. */
final case class GridTime(input: InputTime, grid: WindowGrid) extends InputTime {
  override def inputs: Seq[InputTime] = Seq(input)
  override def toString: String =
    s"windows($input, ${grid.sizeMs}, ${grid.slideMs}, ${grid.offsetMs})"
}

/** `byMs` behind: where a bound of a join says that one time may be so much older than another. */
final case class BehindTime(input: InputTime, byMs: Long) extends InputTime {
  override def inputs: Seq[InputTime] = Seq(input)
  override def toString: String = s"$input - $byMs"
}

/** The maximum: of several bounds of a join the tightest holds. */
final case class TightestTime(inputs: Seq[InputTime]) extends InputTime {
  override def toString: String = inputs.mkString("max(", ", ", ")")
}

/**
 * After a join: the minimum over the times of one key and over the limits of the rows that the
 * state may still put out.
 *
 * @param sides
 *   the times of either side: idle only if all are
 */
final case class JoinTime(inputs: Seq[InputTime], sides: Seq[InputTime]) extends InputTime {
  override def toString: String = inputs.mkString("join(", ", ", ")")
}
