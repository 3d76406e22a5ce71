package tidegate.sql

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

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
