package tidegate.sql

/**
 * A parameter of a table function.
 *
 * @param name
 *   in lower case, as in messages
 * @param aliases
 *   other names of the parameter
 * @param example
 *   a value for messages
 * @param isPolicy
 *   whether its argument is written as a function call, such as `fixed_lag(5 seconds)`
 * @param isColumn
 *   whether its argument is a `DESCRIPTOR` with one column
 */
private[tidegate] final case class Parameter(
    name: String,
    aliases: Seq[String] = Nil,
    isRequired: Boolean = true,
    isPolicy: Boolean = false,
    isColumn: Boolean = false,
    example: Option[String] = None
) {
  def names: Seq[String] = name +: aliases
}

private[tidegate] object Parameter {
  val Data: Parameter = Parameter("data", Seq("input"))
  val TimeColumn: Parameter = Parameter("timecol", Seq("time_col"), isColumn = true)
  val Size: Parameter = length("size", "10 SECONDS", "window_size")
  val Slide: Parameter = length("slide", "5 SECONDS", "slide_by")
  val Step: Parameter = length("step", "1 MINUTE")
  val MaxSize: Parameter = length("max_size", "1 HOUR", "size")
  val Gap: Parameter = length("gap", "5 MINUTES")
  val Offset: Parameter = optional("offset")
  val Lag: Parameter = optional("lag").copy(example = Some("INTERVAL 5 SECONDS"))
  val Key: Parameter = optional("key")
  val Policy: Parameter = optional("policy").copy(isPolicy = true)
  val Substream: Parameter = optional("substream")
  val IdleTimeout: Parameter = optional("idle_timeout")
  val IdleBehind: Parameter = optional("idle_behind")
  val Emission: Parameter = optional("emission").copy(isPolicy = true)
  val Name: Parameter = optional("name")
  val MaxFutureSkew: Parameter = optional("max_future_skew")
  val IngestionTime: Parameter = optional("ingestion_time").copy(isColumn = true)
  val Flush: Parameter = optional("flush")
  val OnlyTimeColumn: Parameter = TimeColumn.copy(isRequired = false)
  val PartitionBy: Parameter = optional("partition_by")
  val Time: Parameter = Parameter("time", isColumn = true)
  val Base: Parameter = Parameter("base", isColumn = true)
  val Lower: Parameter = length("lower", "0 SECONDS")
  val Upper: Parameter = length("upper", "10 MINUTES")

  private def length(name: String, example: String, aliases: String*) =
    Parameter(name, aliases, example = Some(s"INTERVAL $example"))

  private def optional(name: String) = Parameter(name, isRequired = false)
}
