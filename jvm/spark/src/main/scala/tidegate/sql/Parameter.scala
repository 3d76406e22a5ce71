package tidegate.sql

import tidegate.request.WatermarkArgument

/**
 * A parameter of a table function.
 *
 * @param name
 *   in lower case, as in messages
 * @param aliases
 *   other names of the parameter
 * @param meaning
 *   what it says, for `DESCRIBE FUNCTION EXTENDED`
 * @param example
 *   a value for messages
 * @param isPolicy
 *   whether its argument is written as a function call, such as `fixed_lag(5 seconds)`
 * @param isColumn
 *   whether its argument is a `DESCRIPTOR` with one column
 */
private[tidegate] final case class Parameter(
    name: String,
    meaning: String,
    aliases: Seq[String] = Nil,
    isRequired: Boolean = true,
    isPolicy: Boolean = false,
    isColumn: Boolean = false,
    example: Option[String] = None
) {
  def names: Seq[String] = name +: aliases
}

private[tidegate] object Parameter {
  val Data: Parameter =
    Parameter("data", "a table, stream or query: TABLE(t), TABLE(SELECT ...) or t", Seq("input"))
  val TimeColumn: Parameter =
    Parameter("timecol", "its time column, as DESCRIPTOR(ts)", Seq("time_col"), isColumn = true)
  val Size: Parameter =
    length("size", "from the start of a window to its end", "10 SECONDS", "window_size")
  val Slide: Parameter =
    length("slide", "from one window's start to the next; divides size", "5 SECONDS", "slide_by")
  val Step: Parameter =
    length("step", "by how much windows grow; divides max_size", "1 MINUTE")
  val MaxSize: Parameter = length("max_size", "the size of the longest window", "1 HOUR", "size")
  val Gap: Parameter =
    length("gap", "the longest time between two rows of a session", "5 MINUTES")
  val Offset: Parameter =
    optional("offset", "from 1970-01-01 00:00:00 UTC to the start of a window; 0 by default")
  val OnlyTimeColumn: Parameter = TimeColumn.copy(isRequired = false)
  val PartitionBy: Parameter =
    optional("partition_by", "rows with equal columns are in order, as DESCRIPTOR(id)")
  val Time: Parameter = Parameter("time", "the later time, as DESCRIPTOR(ts)", isColumn = true)
  val Base: Parameter = Parameter("base", "the earlier time, as DESCRIPTOR(ts)", isColumn = true)
  val Lower: Parameter = length("lower", "the least that time is after base", "0 SECONDS")
  val Upper: Parameter = length("upper", "the most that time is after base", "10 MINUTES")

  val LeftTime: Parameter =
    optional("left_time", "the time of the rows, as DESCRIPTOR(ts)").copy(isColumn = true)
  val RightTime: Parameter =
    optional("right_time", "the time of the versions, as DESCRIPTOR(ts)").copy(isColumn = true)
  val Tolerance: Parameter =
    optional("tolerance", "the most that a version is older than its row; any age by default")

  /** An argument of a watermark. */
  def of(argument: WatermarkArgument[_]): Parameter =
    optional(argument.sqlName, argument.meaning).copy(
      isPolicy = argument.isInstanceOf[WatermarkArgument.Described[_]],
      isColumn = argument.isInstanceOf[WatermarkArgument.Column],
      example = Option.when(argument == WatermarkArgument.Lag)("INTERVAL 5 SECONDS")
    )

  private def length(name: String, meaning: String, example: String, aliases: String*) =
    Parameter(name, meaning, aliases, example = Some(s"INTERVAL $example"))

  private def optional(name: String, meaning: String) =
    Parameter(name, meaning, isRequired = false)
}
