package tidegate.sources

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.types.TimestampType
import org.apache.spark.unsafe.types.UTF8String
import tidegate.errors.QueryErrors
import tidegate.plans.{ColumnOrigin, KeyedWatermark}

/**
 * Fails on any Kafka row whose timestamp is used as append time but was set by the producer. A
 * topic may use producer timestamps, and its settings may change at any time.
 *
 * A checked column needs an id of its own, and so a new relation. The new relation replaces the old
 * one everywhere in the plan: Spark reads equal relations once, but would read two different ones
 * separately.
 */
object CheckAppendTime {

  def apply(plan: LogicalPlan): LogicalPlan = {
    val renewed = mutable.HashMap.empty[StreamingRelationV2, StreamingRelationV2]
    def fresh(r: StreamingRelationV2) =
      renewed.getOrElseUpdate(r, r.newInstance().asInstanceOf[StreamingRelationV2])
    val checked = plan.transformUp {
      case k: KeyedWatermark if k.ingestionTime.isDefined =>
        ColumnOrigin.relation(k.left, k.ingestionTime.get) match {
          case Some((r: StreamingRelationV2, time)) if ColumnOrigin.isKafka(r) =>
            k.copy(left = k.left.transformUp {
              case relation: StreamingRelationV2 if relation == r =>
                renamed(r, fresh(r), Some(time))
            })
          case _ => k
        }
    }
    checked.transformUp {
      case r: StreamingRelationV2 if renewed.contains(r) => renamed(r, renewed(r), None)
    }
  }

  /** Whether a column expression contains the check. */
  def isIn(column: Expression): Boolean = column.exists {
    case call: StaticInvoke => call.staticObject == AppendTimes.getClass
    case _                  => false
  }

  /**
   * The columns of `fresh` under the names and ids of `relation`, with the check on one of them.
   */
  private def renamed(
      relation: StreamingRelationV2,
      fresh: StreamingRelationV2,
      checked: Option[Attribute]
  ): LogicalPlan = {
    def of(name: String) = fresh.output.find(_.name == name)
    val columns = relation.output.zip(fresh.output).map { case (old, column) =>
      val value = (of("timestampType"), of("topic")) match {
        case (Some(kind), Some(topic)) if checked.exists(_.exprId == old.exprId) =>
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
   * The timestamp of a Kafka row, in µs, if the broker set it.
   *
   * @throws AnalysisException
   *   if the producer set it
   */
  def checked(micros: Long, kind: Int, topic: UTF8String): Long = {
    if (kind != LogAppendTime) {
      throw QueryErrors.notAppendTime(topic.toString, Names.getOrElse(kind, kind.toString))
    }
    micros
  }
}
