package tidegate.analysis

import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.types.TimestampType
import org.apache.spark.unsafe.types.UTF8String
import tidegate.TidegateErrors
import tidegate.plans.KeyedWatermark

/**
 * Checks of every row of Kafka whose time is taken for an append time that it is one: a topic may
 * have the times of its producers instead, and may be changed to that at any time.
 */
object CheckAppendTime {

  def apply(plan: LogicalPlan): LogicalPlan = plan.transformUp {
    case k: KeyedWatermark if k.ingestionTime.isDefined =>
      k.copy(left = checked(k.left, k.ingestionTime.get))
  }

  /** Whether a column of a relation has the check. */
  def isIn(column: Expression): Boolean = column.exists {
    case call: StaticInvoke => call.staticObject == AppendTimes.getClass
    case _                  => false
  }

  /** The input with a check in the place where its column comes from, if that is Kafka. */
  private def checked(input: LogicalPlan, column: Attribute): LogicalPlan =
    ColumnOrigin.of(input, column) match {
      case Some((r: StreamingRelationV2, time)) if ColumnOrigin.isKafka(r) =>
        input.transformUp {
          case relation: StreamingRelationV2 if relation eq r => withCheck(r, time)
        }
      case _ => input
    }

  private def withCheck(relation: StreamingRelationV2, time: Attribute): LogicalPlan = {
    val fresh = relation.newInstance().asInstanceOf[StreamingRelationV2]
    def of(name: String) = fresh.output.find(_.name == name)
    val columns = relation.output.zip(fresh.output).map { case (old, column) =>
      val value = (of("timestampType"), of("topic")) match {
        case (Some(kind), Some(topic)) if old.exprId == time.exprId =>
          StaticInvoke(
            AppendTimes.getClass,
            TimestampType,
            "checked",
            Seq(column, kind, topic),
            returnNullable = false
          )
        case _ => column
      }
      Alias(value, old.name)(old.exprId, explicitMetadata = Some(old.metadata))
    }
    Project(columns, fresh)
  }
}

/** Called by generated code. */
object AppendTimes {
  private val LogAppendTime = 1
  private val Names = Map(-1 -> "NoTimestampType", 0 -> "CreateTime")

  /**
   * The time of a row of Kafka, in µs, if the broker gave it.
   *
   * @throws AnalysisException
   *   if the producer did
   */
  def checked(micros: Long, kind: Int, topic: UTF8String): Long = {
    if (kind != LogAppendTime) {
      throw TidegateErrors.notAppendTime(topic.toString, Names.getOrElse(kind, kind.toString))
    }
    micros
  }
}
