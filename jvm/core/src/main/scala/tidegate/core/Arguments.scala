package tidegate.core

/** Errors that name the argument, its value and the allowed values in one sentence. */
private[core] object Arguments {

  def atLeast(name: String, found: Long, wanted: Long, unit: String = ""): Unit =
    if (found < wanted)
      refuse(name, if (unit.isEmpty) s"$found" else s"$found $unit", s"at least $wanted")

  def within(name: String, found: Int, highest: Int): Unit =
    if (found < 0 || found > highest) refuse(name, s"$found", s"from 0 to $highest")

  def refuse(name: String, found: String, wanted: String): Nothing =
    throw new IllegalArgumentException(s"Argument $name is $found; it must be $wanted.")
}
