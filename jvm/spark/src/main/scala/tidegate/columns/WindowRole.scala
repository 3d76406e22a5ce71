package tidegate.columns

/** Which part of its window a column holds. */
sealed abstract class WindowRole(val name: String) {

  /** The name that SQL window functions give the column. */
  def columnName: String = s"window_$name"
}

object WindowRole {

  /** The first instant of the window. A tag on it would close windows as soon as they begin. */
  case object Start extends WindowRole("start")

  /** The first instant after the window. */
  case object End extends WindowRole("end")

  /**
   * The last whole millisecond of the window: the time column for the next window function in a
   * chain.
   */
  case object Time extends WindowRole("time")

  val all: Seq[WindowRole] = Seq(Start, End, Time)
}
