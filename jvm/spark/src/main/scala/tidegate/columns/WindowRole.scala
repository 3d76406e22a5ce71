package tidegate.columns

/** What a column says of its window. */
sealed abstract class WindowRole(val name: String) {

  /** What the window functions of SQL call the column. */
  def columnName: String = s"window_$name"
}

object WindowRole {

  /** Its first instant. A tag on it would close windows as soon as they begin. */
  case object Start extends WindowRole("start")

  /** The first instant after it. */
  case object End extends WindowRole("end")

  /** Its last whole millisecond: the time column for the next window of a chain. */
  case object Time extends WindowRole("time")

  val all: Seq[WindowRole] = Seq(Start, End, Time)
}
