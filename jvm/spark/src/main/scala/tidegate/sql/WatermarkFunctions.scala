package tidegate.sql

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import tidegate.TidegateErrors
import tidegate.plans.InputTime

/**
 * Whose watermark a function gives. Known from the analysis on: in a part of a plan, such as the
 * frame of a `foreachBatch`, there is no watermark node to ask.
 *
 * @param node
 *   the name of a watermark
 * @param key
 *   the key of a time column
 * @param input
 *   where its values come from; known once the query starts
 */
private[tidegate] final case class WatermarkSource(
    node: Option[String],
    key: Option[Byte],
    input: Option[InputTime] = None
)

/** A function whose value is that of the batch: it has none before its query runs. */
private[tidegate] sealed trait WatermarkFunction extends Expression with Unevaluable {
  def source: WatermarkSource
  def withInput(input: InputTime): Expression
}

/**
 * The watermark below which rows are late in this batch: a `TIMESTAMP`, NULL before the first one
 * and in batch queries.
 */
private[tidegate] final case class CurrentWatermark(argument: String, source: WatermarkSource)
    extends LeafExpression
    with WatermarkFunction {
  override def nullable: Boolean = true
  override def dataType: DataType = TimestampType
  override def sql: String = s"current_watermark($argument)"
  override def toString: String = sql
  override def withInput(input: InputTime): Expression =
    copy(source = source.copy(input = Some(input)))
}

/**
 * Whether the next stateful operator would drop the row as late: a `BOOLEAN`, false for a row
 * without a time and in batch queries.
 *
 * @param time
 *   an event time, or a window or its end
 * @param closesWindow
 *   whether it is one of the latter: Spark may put the expression of a column in its place
 */
private[tidegate] final case class IsLate(
    time: Expression,
    closesWindow: Boolean,
    source: WatermarkSource
) extends UnaryExpression
    with WatermarkFunction {
  override def child: Expression = time
  override def nullable: Boolean = false
  override def dataType: DataType = BooleanType
  override def prettyName: String = "is_late"
  override def withInput(input: InputTime): Expression =
    copy(source = source.copy(input = Some(input)))
  override protected def withNewChildInternal(newChild: Expression): IsLate = copy(time = newChild)
}

/** A call whose argument is not looked up yet. */
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
        case other         => throw TidegateErrors.oneArgument(name, other.size)
      }
    (FunctionIdentifier(name), info, builder)
  }

  /** The text of a constant argument. */
  def text(e: Expression): Option[String] =
    if (!e.foldable) None else Option(e.eval()).collect { case s: UTF8String => s.toString }
}
