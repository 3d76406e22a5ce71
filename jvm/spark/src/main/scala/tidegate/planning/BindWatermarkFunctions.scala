package tidegate.planning

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}
import org.apache.spark.sql.types.{LongType, TimestampType}
import tidegate.clock.RunningQuery
import tidegate.columns.{CurrentWatermark, EventTimeTag, IsLate, WatermarkSource}
import tidegate.core.EndOfTime
import tidegate.core.clock.OperatorBatch
import tidegate.execution.DropLateExec

/**
 * Gives `current_watermark` and `is_late` the values of the batch: the watermark at its start. The
 * offset log has this watermark, so a replayed batch gets the same values. They come from the
 * running query, never from the plan, which may be only a part of the query's.
 */
object BindWatermarkFunctions extends ColumnarRule {
  override def preColumnarTransitions: Rule[SparkPlan] = (plan: SparkPlan) =>
    plan.transformUp { case p =>
      p.transformExpressions {
        case c: CurrentWatermark =>
          BatchConstant(
            watermarkMs(c.source).map(ms => EndOfTime.micros(ms).min(EndOfTime.Micros)),
            TimestampType
          )
        case l: IsLate => isLate(l)
      }
    }

  /** Decides as `DropLateExec` does. */
  private def isLate(function: IsLate): Expression = {
    val time = function.time
    val decisive =
      if (EventTimeTag.isWindow(time.dataType)) GetStructField(time, 1) else time
    val upTo = RunningQuery.active.flatMap { _ =>
      val lateMs = watermarkMs(function.source).getOrElse(OperatorBatch.NothingLate)
      DropLateExec.lateUpTo(lateMs, function.closesWindow)
    }
    val isPassed = LessThanOrEqual(
      PreciseTimestampConversion(decisive, decisive.dataType, LongType),
      BatchConstant(upTo, LongType)
    )
    Coalesce(Seq(isPassed, Literal.FalseLiteral))
  }

  private def watermarkMs(source: WatermarkSource): Option[Long] =
    RunningQuery.active.flatMap(_.watermarkMs(source))
}
