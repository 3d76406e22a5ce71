package tidegate.sql

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import tidegate.columns.Proctime
import tidegate.errors.FunctionErrors

/** The scalar functions of SQL, as an extension registers them. */
private[tidegate] object WatermarkFunctions {
  type Registered = (FunctionIdentifier, ExpressionInfo, Seq[Expression] => Expression)

  val all: Seq[Registered] = Seq(
    registered(
      FunctionInfos.scalarFunction(
        CurrentWatermarkCall.Name,
        classOf[CurrentWatermarkCall],
        "The watermark below which rows are late in this batch, by the name of the watermark or " +
          "of a time column; NULL before the first and in batch queries.",
        "name",
        "id, _FUNC_('ts')",
        "1\tNULL"
      )
    )(CurrentWatermarkCall(_)),
    registered(
      FunctionInfos.scalarFunction(
        IsLateCall.Name,
        classOf[IsLateCall],
        "Whether the next stateful operator would drop the row as late; false in batch queries.",
        "time",
        "id, _FUNC_(ts)",
        "1\tfalse"
      )
    )(IsLateCall(_)),
    withoutArguments(
      FunctionInfos.scalarFunction(
        Proctime.Name,
        classOf[Proctime],
        "The time of processing: of a stream, the wall clock when its batch was put together. " +
          "A window over such a column of a stream is a window of processing time.",
        "",
        "id, _FUNC_() = current_timestamp()",
        "1\ttrue"
      )
    )(Proctime.now)
  )

  val names: Seq[String] = all.map(_._1.funcName)

  /** A call, for messages. */
  def example(name: String): String = name match {
    case IsLateCall.Name => s"$name(order_time)"
    case Proctime.Name   => s"$name()"
    case _               => s"$name('orders')"
  }

  private def registered(info: ExpressionInfo)(build: Expression => Expression): Registered = {
    val name = info.getName
    val builder = (arguments: Seq[Expression]) =>
      arguments match {
        case Seq(argument) => build(argument)
        case other         => throw FunctionErrors.oneArgument(name, other.size)
      }
    (FunctionIdentifier(name), info, builder)
  }

  private def withoutArguments(info: ExpressionInfo)(value: => Expression): Registered = {
    val builder = (arguments: Seq[Expression]) =>
      if (arguments.isEmpty) value
      else throw FunctionErrors.noArguments(info.getName, arguments.size)
    (FunctionIdentifier(info.getName), info, builder)
  }

  /** The text of a constant argument. */
  def text(e: Expression): Option[String] =
    if (!e.foldable || !e.dataType.isInstanceOf[StringType]) None
    else
      try Option(e.eval()).collect { case s: UTF8String => s.toString }
      catch {
        // Any exception counts, because what fails is the user's expression: it is no name.
        case NonFatal(_) => None
      }
}

/** A call of a watermark function whose argument is not resolved yet. */
private[tidegate] sealed trait WatermarkCall extends UnaryExpression with Unevaluable {
  override lazy val resolved: Boolean = false
}

private[tidegate] final case class CurrentWatermarkCall(child: Expression) extends WatermarkCall {
  override def dataType: DataType = TimestampType
  override def prettyName: String = CurrentWatermarkCall.Name
  override protected def withNewChildInternal(newChild: Expression): CurrentWatermarkCall =
    copy(child = newChild)
}

private[tidegate] object CurrentWatermarkCall {
  val Name = "current_watermark"
}

private[tidegate] final case class IsLateCall(child: Expression) extends WatermarkCall {
  override def dataType: DataType = BooleanType
  override def prettyName: String = IsLateCall.Name
  override protected def withNewChildInternal(newChild: Expression): IsLateCall =
    copy(child = newChild)
}

private[tidegate] object IsLateCall {
  val Name = "is_late"
}
