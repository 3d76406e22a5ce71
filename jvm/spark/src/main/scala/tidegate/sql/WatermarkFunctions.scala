package tidegate.sql

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String
import tidegate.errors.FunctionErrors

/** The scalar functions of SQL, as an extension registers them. */
private[tidegate] object WatermarkFunctions {
  type Registered = (FunctionIdentifier, ExpressionInfo, Seq[Expression] => Expression)

  val all: Seq[Registered] = Seq(
    registered(
      CurrentWatermarkCall.Name,
      classOf[CurrentWatermarkCall],
      "_FUNC_(name) - The watermark below which rows are late in this batch, by the name of the " +
        "watermark or of a time column; NULL before the first and in batch queries."
    )(CurrentWatermarkCall(_)),
    registered(
      IsLateCall.Name,
      classOf[IsLateCall],
      "_FUNC_(time) - Whether the next stateful operator would drop the row as late."
    )(IsLateCall(_))
  )

  val names: Seq[String] = all.map(_._1.funcName)

  /** A call, for messages. */
  def example(name: String): String =
    if (name == IsLateCall.Name) s"$name(order_time)" else s"$name('orders')"

  private def registered(name: String, clazz: Class[_], usage: String)(
      build: Expression => Expression
  ): Registered = {
    val info = new ExpressionInfo(
      clazz.getCanonicalName,
      null,
      name,
      usage,
      "",
      "",
      "",
      "",
      "",
      "",
      "built-in"
    )
    val builder = (arguments: Seq[Expression]) =>
      arguments match {
        case Seq(argument) => build(argument)
        case other         => throw FunctionErrors.oneArgument(name, other.size)
      }
    (FunctionIdentifier(name), info, builder)
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
