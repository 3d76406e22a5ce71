package tidegate.sql

import java.util.Locale

import tidegate.errors.NearName
import tidegate.request.WatermarkArgument

/**
 * A table function of SQL.
 *
 * @param name
 *   in upper case
 * @param parameters
 *   in the order of positional arguments, after the table
 * @param namedOnly
 *   the parameters that must be named
 */
private[tidegate] final case class EventTimeFunction(
    name: String,
    parameters: Seq[Parameter],
    namedOnly: Seq[Parameter] = Nil
) {

  override def toString: String = name

  /** Every parameter but the table. */
  def all: Seq[Parameter] = parameters ++ namedOnly

  /** The parameter with an argument name, in upper or lower case. */
  def parameter(argumentName: String): Option[Parameter] =
    (Parameter.Data +: all).find(_.names.exists(_.equalsIgnoreCase(argumentName)))

  /** A call of the function, for messages. */
  def example: String = {
    val values = parameters.flatMap(_.example)
    (Seq("TABLE(t)", "DESCRIPTOR(ts)") ++ values).mkString(s"$name(", ", ", ")")
  }

  /** How the function is called, for messages. */
  def signature: String = {
    val (needed, optional) = parameters.partition(_.isRequired)
    val shown = Parameter.Data +: needed
    val rest = optional.map(p => s" [, ${p.name}]").mkString
    shown.map(_.name).mkString(s"$name(", ", ", s"$rest)")
  }
}

private[tidegate] object EventTimeFunction {
  import Parameter.{of => _, _}

  private val positional = Seq(WatermarkArgument.Lag, WatermarkArgument.Key)

  val ImposeOrder: EventTimeFunction = EventTimeFunction(
    "IMPOSE_ORDER",
    TimeColumn +: positional.map(Parameter.of),
    WatermarkArgument.ofSql.diff(positional).map(Parameter.of)
  )
  val Tumble: EventTimeFunction = EventTimeFunction("TUMBLE", Seq(TimeColumn, Size, Offset))
  val Hop: EventTimeFunction = EventTimeFunction("HOP", Seq(TimeColumn, Size, Slide, Offset))
  val Cumulate: EventTimeFunction =
    EventTimeFunction("CUMULATE", Seq(TimeColumn, Step, MaxSize, Offset))
  val Session: EventTimeFunction = EventTimeFunction("SESSION", Seq(TimeColumn, Gap))

  /** Without a time column the function takes the only one of its table. */
  val OrderByTime: EventTimeFunction =
    EventTimeFunction("ORDER_BY_TIME", Seq(OnlyTimeColumn), Seq(PartitionBy))

  /** For `streamJoin` on Spark Connect: its table is a join, which gets bounds on its times. */
  val BoundJoin: EventTimeFunction = EventTimeFunction("BOUND_JOIN", Seq(Time, Base, Lower, Upper))

  /** For `asOfJoin` on Spark Connect: its table is a join, which becomes one as of a time. */
  val AsOfJoin: EventTimeFunction =
    EventTimeFunction("AS_OF_JOIN", Nil, Seq(LeftTime, RightTime, Tolerance))

  /** For both watermarks of Datasets on Spark Connect: its errors are those of the methods. */
  val KeyedWatermark: EventTimeFunction = EventTimeFunction(
    "KEYED_WATERMARK",
    Seq(TimeColumn),
    WatermarkArgument.all.diff(Seq(WatermarkArgument.Lag)).map(Parameter.of)
  )

  /** The functions that put rows into windows. */
  val windows: Seq[EventTimeFunction] = Seq(Tumble, Hop, Cumulate, Session)

  /** What users do not call. */
  val hidden: Seq[EventTimeFunction] = Seq(BoundJoin, AsOfJoin, KeyedWatermark)

  val all: Seq[EventTimeFunction] =
    (ImposeOrder +: windows :+ OrderByTime) ++ hidden

  /** The functions whose table may have a `PARTITION BY`. */
  val partitioned: Seq[EventTimeFunction] = Seq(Session, OrderByTime)

  private val byName = all.map(f => f.name -> f).toMap

  /** The function that a misspelt name probably means. */
  def near(name: String): Option[EventTimeFunction] =
    NearName.of(name, all.diff(hidden).map(_.name)).flatMap(of)

  /** The function with a name, in upper or lower case. */
  def of(name: String): Option[EventTimeFunction] = byName.get(name.toUpperCase(Locale.ROOT))
}
