package tidegate.sql

import java.time.ZoneId
import java.util.Locale

import scala.util.control.NonFatal

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  Expression,
  Literal,
  NamedArgumentExpression,
  NamedExpression
}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.catalyst.util.{ArrayData, QuotingUtils}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.{CalendarInterval, UTF8String}
import tidegate.columns.EventTimeTag
import tidegate.errors.{CallErrors, NearName, WindowErrors}
import tidegate.request.{Durations, WatermarkArgument, WatermarkRequest}

/**
 * The arguments of a call, by parameter, once they and the table are resolved. The one place that
 * reads arguments; every error has the position of its argument.
 */
private[sql] final class CallArguments(call: EventTimeCall) {
  private val function = call.function

  private val byParameter: Map[Parameter, Expression] = {
    val positional = call.arguments.takeWhile(!isNamed(_))
    positional.drop(function.parameters.size).headOption.foreach { first =>
      at(first)(
        throw CallErrors.tooManyArguments(
          function.name,
          function.signature,
          function.parameters.size + 1
        )
      )
    }
    val named = call.arguments.drop(positional.size).map {
      case n: NamedArgumentExpression => at(n.value)(parameterOf(n.key) -> n.value)
      case other => at(other)(throw CallErrors.positionalAfterNamed(function.name, other.sql))
    }
    (function.parameters.zip(positional) ++ named)
      .map { case (p, e) => p -> plain(e) }
      .foldLeft(Map.empty[Parameter, Expression]) {
        case (known, (p, e)) if known.contains(p) || p == Parameter.Data =>
          at(e)(throw CallErrors.argumentTwice(function.name, p.name))
        case (known, one) => known + one
      }
  }

  // In the order of the signature, so that the error names the first missing argument.
  function.parameters.filter(p => p.isRequired && !byParameter.contains(p)).foreach { p =>
    throw CallErrors.argumentMissing(function.name, p.name, function.signature, function.example)
  }

  /** The value of a variable comes with an alias. */
  private def plain(e: Expression): Expression = e match {
    case Alias(value, _) => value
    case other           => other
  }

  private def isNamed(e: Expression) = e.isInstanceOf[NamedArgumentExpression]

  private def at[T](e: Expression)(body: => T): T = CurrentOrigin.withOrigin(e.origin)(body)

  private def parameterOf(name: String): Parameter = function.parameter(name).getOrElse {
    if (EventTimeFunction.windows.contains(function) && CallArguments.isTimeZone(name))
      throw WindowErrors.inTimeZone(function.name, s"the argument `$name`", "ts")
    val known = (Parameter.Data +: function.all).map(_.name)
    throw CallErrors.unknownArgument(function.name, name, NearName.nearest(name, known), known)
  }

  private def passed(p: Parameter): Option[Expression] = byParameter.get(p)

  /** Runs `body` so that its errors have the position of an argument. */
  def atPlaceOf[T](p: Parameter)(body: => T): T =
    passed(p).fold(body)(e => CurrentOrigin.withOrigin(e.origin)(body))

  /** The time column: a column of the table, or a field in one. */
  lazy val time: NamedExpression =
    atPlaceOf(Parameter.TimeColumn)(timeColumn(nameParts(Parameter.TimeColumn)))

  private def nameParts(p: Parameter): Seq[String] = byParameter(p) match {
    case Descriptor(Seq(Right(nameParts))) => nameParts
    case Descriptor(Seq(Left(text)))       => throw CallErrors.descriptorOfExpression(text)
    case Descriptor(columns)               =>
      throw CallErrors.descriptorColumns(function.name, columns.map(text))
    case other => throw descriptorMissing(p, other)
  }

  private def descriptorMissing(p: Parameter, found: Expression): AnalysisException = {
    val written = found match {
      case a: Attribute => QuotingUtils.quoteIfNeeded(a.name)
      case other        => other.sql
    }
    val named = found match {
      case a: Attribute                          => Some(a.name)
      case Literal(text: UTF8String, StringType) => Some(text.toString).filter(isColumn)
      case _                                     => None
    }
    val column = named.orElse(call.child.output.find(EventTimeTag.isTime).map(_.name))
    CallErrors.descriptorMissing(
      function.name,
      p.name,
      written,
      QuotingUtils.quoteIfNeeded(column.getOrElse("ts"))
    )
  }

  private def isColumn(name: String): Boolean =
    tableColumns.exists(call.child.conf.resolver(_, name))

  /** The name in a descriptor, quoted where necessary; the table may lack the column. */
  def columnName(p: Parameter): String =
    atPlaceOf(p)(quoted(nameParts(p)))

  /** As `columnName`; `None` if the argument is left out. */
  def optionalColumnName(p: Parameter): Option[String] = passed(p).map(_ => columnName(p))

  private def timeColumn(nameParts: Seq[String]): NamedExpression = {
    val name = nameParts.mkString(".")
    column(nameParts) match {
      case None => throw CallErrors.timeColumnNotFound(function.name, name, tableColumns)
      case Some(e) if EventTimeTag.isTime(e) => e
      case Some(e) => throw CallErrors.timeColumnNotTimestamp(function.name, name, e.dataType)
    }
  }

  /** The name of the time column, as it is written in the call. */
  def timeName: String = (time, byParameter(Parameter.TimeColumn)) match {
    case (a: Attribute, _)                      => a.name
    case (_, Descriptor(Seq(Right(nameParts)))) => nameParts.mkString(".")
    case (field, _)                             => field.name
  }

  private def column(nameParts: Seq[String]): Option[NamedExpression] =
    call.child.resolve(nameParts, call.child.conf.resolver)

  private def tableColumns: Seq[String] = call.child.output.map(_.name)

  private def text(column: Either[String, Seq[String]]): String =
    column.fold(identity, _.mkString("."))

  /** A duration in ms, at least `smallestMs`. */
  def durationMs(p: Parameter, smallestMs: Long): Long =
    atPlaceOf(p)(Durations.parseMs(p.name, durationText(p, byParameter(p)), smallestMs))

  /** The length of a window or of a part of one, in ms. */
  def lengthMs(p: Parameter): Long = {
    atPlaceOf(p) {
      val found = durationText(p)
      if (Durations.hasMonths(found))
        throw WindowErrors.ofMonths(
          function.name,
          p.name,
          found,
          QuotingUtils.quoteIfNeeded(timeName)
        )
    }
    durationMs(p, smallestMs = 1)
  }

  /** An offset in ms; an error of its own if it names a time zone. */
  def offsetMs(p: Parameter): Option[Long] = {
    passed(p).foreach { e =>
      constant(p, e) match {
        case s: UTF8String if ZoneId.getAvailableZoneIds.contains(s.toString) =>
          at(e)(throw inTimeZone(s"'$s'"))
        case _ => ()
      }
    }
    optionalMs(p, Long.MinValue)
  }

  private def inTimeZone(found: String): AnalysisException =
    WindowErrors.inTimeZone(function.name, found, QuotingUtils.quoteIfNeeded(timeName))

  /** `None` if the argument is left out. */
  def optionalMs(p: Parameter, smallestMs: Long): Option[Long] =
    passed(p).map(_ => durationMs(p, smallestMs))

  /** A required duration as text. */
  def durationText(p: Parameter): String = durationText(p, byParameter(p))

  /** A duration as text; `None` if the argument is left out. */
  def optionalText(p: Parameter): Option[String] = passed(p).map(durationText(p, _))

  /** The text of a duration that is the argument `p` or a part of it. */
  def durationText(p: Parameter, e: Expression): String = at(e) {
    CallArguments
      .durationText(e.dataType, constant(p, e))
      .getOrElse(throw Durations.invalid(p.name, withoutType(e)))
  }

  /** A number as it was probably written: `5s` is read as the number `5S`, `1.5d` as `1.5D`. */
  private def withoutType(e: Expression): String = e match {
    case Literal(_: Number, _) if e.origin.sqlText.isDefined =>
      Some(e.origin.context.fragment).filter(_.headOption.exists(_.isDigit)).getOrElse(e.sql)
    case _ => e.sql
  }

  /** Names of columns: a descriptor, the text of a name, or an array of such texts. */
  def columnNames(p: Parameter): Seq[String] = passed(p).toSeq.flatMap(columnNames(p, _))

  private def columnNames(p: Parameter, e: Expression): Seq[String] =
    at(e) {
      e match {
        case Descriptor(columns) =>
          columns.map(_.fold(text => throw CallErrors.descriptorOfExpression(text), quoted))
        case a: Attribute =>
          val wanted = s"columns such as DESCRIPTOR(${QuotingUtils.quoteIfNeeded(a.name)})"
          throw CallErrors.invalidArgument(function.name, p.name, a.name, wanted)
        case _ => texts(p, e)
      }
    }

  /** The arguments of a watermark that the call has. */
  def watermark: WatermarkRequest =
    WatermarkRequest(
      WatermarkArgument.all.flatMap(a => passed(Parameter.of(a)).map(e => at(e)(read(a, e)))): _*
    )

  private def read(argument: WatermarkArgument[_], e: Expression): WatermarkArgument.Given = {
    val p = Parameter.of(argument)
    def as[T](wanted: String)(known: PartialFunction[(DataType, Any), T]): T =
      known.applyOrElse(
        (e.dataType, constant(p, e)),
        (_: (DataType, Any)) =>
          throw CallErrors.invalidArgument(function.name, p.name, e.sql, wanted)
      )
    argument match {
      case a: WatermarkArgument.Length =>
        a(if (e.foldable && constant(p, e) == null) null else durationText(p, e))
      case a: WatermarkArgument.Flag =>
        a(as("true or false") { case (BooleanType, b: Boolean) => b })
      case a: WatermarkArgument.Number =>
        a(as("a whole number") {
          case (_: NumericType, n: Number) if n.doubleValue == n.intValue => n.intValue
        })
      case a: WatermarkArgument.Text =>
        a(as("a text such as 'orders'") { case (_: StringType, s: UTF8String) => s.toString })
      case a: WatermarkArgument.Column       => a(columnName(p))
      case a: WatermarkArgument.Columns      => a(columnNames(p, e))
      case a: WatermarkArgument.Described[t] =>
        e match {
          case PolicyCall(name, durations) =>
            val texts = durations.map(durationText(p, _))
            a(if (isOfClient) a.of(name, texts) else a.ofSql(name, texts))
          case other =>
            throw CallErrors.invalidArgument(function.name, p.name, other.sql, a.example)
        }
    }
  }

  /** Whether the call is a method that a client has called. */
  private def isOfClient: Boolean = function == EventTimeFunction.KeyedWatermark

  /** How errors of a watermark name the arguments of the call, and where these are. */
  object Writing extends WatermarkRequest.Writing {
    override def nameOf(argument: WatermarkArgument[_]): String = argument.sqlName
    override def policy: String =
      if (isOfClient) WatermarkRequest.OfMethods.policy else WatermarkArgument.Policy.example
    override def at[T](argument: WatermarkArgument[_])(body: => T): T =
      atPlaceOf(Parameter.of(argument))(body)
    override def atTime[T](body: => T): T = atPlaceOf(Parameter.TimeColumn)(body)
  }

  private def quoted(nameParts: Seq[String]): String =
    nameParts.map(QuotingUtils.quoteIfNeeded).mkString(".")

  private def texts(p: Parameter, e: Expression): Seq[String] = (e.dataType, constant(p, e)) match {
    case (_: StringType, s: UTF8String) => Seq(s.toString)
    case (ArrayType(_: StringType, _), a: ArrayData)
        if !a.toSeq[UTF8String](StringType).contains(null) =>
      a.toSeq[UTF8String](StringType).map(_.toString)
    case _ =>
      val wanted = "columns such as DESCRIPTOR(topic, partition)"
      throw CallErrors.invalidArgument(function.name, p.name, e.sql, wanted)
  }

  private def constant(p: Parameter, e: Expression): Any =
    if (!e.foldable) throw CallErrors.argumentNotConstant(function.name, p.name, e.sql)
    else
      try e.eval()
      catch {
        // Any exception counts, because what fails is the user's expression.
        case NonFatal(failure) =>
          throw CallErrors.argumentFails(function.name, p.name, e.sql, failure)
      }
}

private[sql] object CallArguments {

  private def isTimeZone(argument: String): Boolean =
    Seq("zone", "timezone", "tz").contains(argument.toLowerCase(Locale.ROOT).replace("_", ""))

  /** The text of a duration that is an interval of any kind, or a text. */
  def durationText(dataType: DataType, value: Any): Option[String] = (dataType, value) match {
    case (_: StringType, s: UTF8String)              => Some(s.toString)
    case (_: DayTimeIntervalType, micros: Long)      => Some(text(0, 0, micros))
    case (_: YearMonthIntervalType, months: Int)     => Some(text(months, 0, 0L))
    case (CalendarIntervalType, i: CalendarInterval) => Some(text(i.months, i.days, i.microseconds))
    case _                                           => None
  }

  private def text(months: Int, days: Int, micros: Long): String = {
    val words = new CalendarInterval(months, days, micros).toString
    // A length of zero is always `0 seconds`.
    if (micros == 0 && months == 0 && days == 0) "0 seconds" else words
  }
}
