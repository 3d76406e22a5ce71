package tidegate.sql

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
  val Lag: Parameter =
    optional("lag", "how far the watermark stays behind the newest row; this or policy is needed")
      .copy(example = Some("INTERVAL 5 SECONDS"))
  val Key: Parameter =
    optional("key", "0 to 127, 0 by default; streams with the same key share one notion of time")
  val Policy: Parameter =
    optional("policy", "how the watermark follows the rows, such as fixed_lag(5 seconds)")
      .copy(isPolicy = true)
  val Substream: Parameter =
    optional("substream", "the columns that name a substream, as DESCRIPTOR(topic, partition)")
  val IdleTimeout: Parameter = optional(
    "idle_timeout",
    "after how long without rows a substream is left out; 60 seconds by default, NULL for never"
  )
  val IdleBehind: Parameter = optional(
    "idle_behind",
    "the same for a substream that is behind the others; NULL, the default, for no difference"
  )
  val Emission: Parameter =
    optional("emission", "which advances show: by_frame(size [, offset]) or by_min_step(step)")
      .copy(isPolicy = true)
  val Name: Parameter = optional("name", "the name of the watermark; by default that of timecol")
  val MaxFutureSkew: Parameter = optional(
    "max_future_skew",
    "a row further ahead of the wall clock moves no watermark; no limit by default"
  )
  val IngestionTime: Parameter = optional(
    "ingestion_time",
    "the column of append times, for policy => ingestion_time(...); timestamp by default"
  ).copy(isColumn = true)
  val Flush: Parameter =
    optional("flush", "whether a run that ends by itself closes all windows; false by default")
  val LateRows: Parameter =
    optional("late_rows", "a table or a folder, to which late rows are written as Parquet files")
  val AllowedLateness: Parameter = optional(
    "allowed_lateness",
    "how much longer windows take late rows, in output mode update; by default no longer"
  )
  val OnlyTimeColumn: Parameter = TimeColumn.copy(isRequired = false)
  val PartitionBy: Parameter =
    optional("partition_by", "rows with equal columns are in order, as DESCRIPTOR(id)")
  val Time: Parameter = Parameter("time", "the later time, as DESCRIPTOR(ts)", isColumn = true)
  val Base: Parameter = Parameter("base", "the earlier time, as DESCRIPTOR(ts)", isColumn = true)
  val Lower: Parameter = length("lower", "the least that time is after base", "0 SECONDS")
  val Upper: Parameter = length("upper", "the most that time is after base", "10 MINUTES")

  private def length(name: String, meaning: String, example: String, aliases: String*) =
    Parameter(name, meaning, aliases, example = Some(s"INTERVAL $example"))

  private def optional(name: String, meaning: String) =
    Parameter(name, meaning, isRequired = false)
}
