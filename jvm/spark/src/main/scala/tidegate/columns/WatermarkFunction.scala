package tidegate.columns

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import tidegate.core.clock.InputTime

/**
 * The watermark that a function returns. Determined in the analysis, because a part of a plan, such
 * as the DataFrame of a `foreachBatch`, has no watermark node.
 *
 * @param node
 *   the name of a watermark
 * @param key
 *   the key of a time column
 * @param input
 *   where the values come from; known once the query starts
 */
private[tidegate] final case class WatermarkSource(
    node: Option[String],
    key: Option[Byte],
    input: Option[InputTime] = None
)

/** A function whose value is constant in a batch; it has no value before its query runs. */
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
 *   whether `time` is a window or its end; kept here because Spark may replace a column by its
 *   expression
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
