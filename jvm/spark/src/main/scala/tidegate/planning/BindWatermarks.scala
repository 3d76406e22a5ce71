package tidegate.planning

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.python.streaming.FlatMapGroupsInPandasWithStateExec
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}
import org.apache.spark.sql.tidegate._
import tidegate.execution.frames.FrameAggregateExec
import tidegate.execution.order.EventTimeOrderExec
import tidegate.execution.{DropLateExec, KeyedOperatorExec}

/**
 * Gives Spark's stateful operators the watermark that is theirs, after Spark has filled in its
 * single global one.
 *
 *   - Their own filter for late rows is set to a value that drops nothing: `DropLate` below them
 *     has done it.
 *   - Eviction happens at the end watermark of the batch, by the clock.
 *   - `KeyedOperatorExec` above them tells both in `EXPLAIN`.
 *
 * An operator without a `DropLate` below it is left as it is.
 */
object BindWatermarks extends ColumnarRule {

  /** Drops nothing, also when Spark multiplies it by 1000. */
  private val NothingIsLate = Some(Long.MinValue / 1000)

  override def preColumnarTransitions: Rule[SparkPlan] = new Rule[SparkPlan] {
    override def apply(plan: SparkPlan): SparkPlan =
      plan.transformUp(
        Function.unlift((operator: SparkPlan) =>
          operator match {
            case u: UpdateEventTimeColumnExec =>
              dropOfInput(u).map(d =>
                u.copy(eventTimeWatermarkForLateEvents = Some(passed(d.times.lateMs)))
              )
            case j: StreamingSymmetricHashJoinExec =>
              val drops = j.children.map(DropLateExec.below)
              if (drops.forall(_.isEmpty)) None
              else
                Some(
                  KeyedOperatorExec(
                    BindJoin(j, drops.head, drops.last),
                    drops.flatten.map(_.describe)
                  )
                )
            case _: StateStoreWriter | _: SessionWindowStateStoreRestoreExec =>
              for {
                drop <- operator.children.headOption.flatMap(DropLateExec.below(_).headOption)
                bound <- bind(operator, drop)
              } yield bound match {
                case s: StateStoreWriter => KeyedOperatorExec(s, Seq(drop.describe))
                case other               => other
              }
            case _ => None
          }
        )
      )
  }

  private def bind(operator: SparkPlan, drop: DropLateExec): Option[SparkPlan] = {
    val end = Some(drop.times.evictionMs)
    val keysEnd = if (drop.isWindowed) end else Some(passed(drop.times.evictionMs))
    Option(operator).collect {
      // It was planned with its watermarks.
      case f: FrameAggregateExec => f
      case o: EventTimeOrderExec => o
      case s: StateStoreSaveExec =>
        s.copy(
          eventTimeWatermarkForLateEvents = NothingIsLate,
          eventTimeWatermarkForEviction = keysEnd
        )
      case s: SessionWindowStateStoreSaveExec =>
        s.copy(eventTimeWatermarkForLateEvents = NothingIsLate, eventTimeWatermarkForEviction = end)
      case s: SessionWindowStateStoreRestoreExec =>
        s.copy(eventTimeWatermarkForLateEvents = NothingIsLate, eventTimeWatermarkForEviction = end)
      // Deduplication needs no value to filter by, the others insist on one.
      case d: StreamingDeduplicateExec =>
        d.copy(eventTimeWatermarkForLateEvents = None, eventTimeWatermarkForEviction = keysEnd)
      case d: StreamingDeduplicateWithinWatermarkExec =>
        d.copy(eventTimeWatermarkForLateEvents = None, eventTimeWatermarkForEviction = end)
      case f: FlatMapGroupsWithStateExec =>
        f.copy(eventTimeWatermarkForLateEvents = NothingIsLate, eventTimeWatermarkForEviction = end)
      case f: FlatMapGroupsInPandasWithStateExec =>
        f.copy(eventTimeWatermarkForLateEvents = NothingIsLate, eventTimeWatermarkForEviction = end)
      case t: TransformWithStateExec =>
        t.copy(eventTimeWatermarkForLateEvents = NothingIsLate, eventTimeWatermarkForEviction = end)
      case t: TransformWithStateInPySparkExec =>
        t.copy(eventTimeWatermarkForLateEvents = NothingIsLate, eventTimeWatermarkForEviction = end)
    }
  }

  /**
   * Spark evicts a plain time *at* the watermark, where a row with that very time may still come
   * and is not late: only times below the watermark have passed.
   */
  private def passed(watermarkMs: Long): Long = math.max(0L, watermarkMs - 1)

  /** The column that `transformWithState` puts out is checked against what it runs on. */
  private def dropOfInput(update: UpdateEventTimeColumnExec): Option[DropLateExec] =
    update.child
      .collectFirst { case w: StateStoreWriter => w }
      .flatMap(_.children.headOption)
      .flatMap(DropLateExec.below(_).headOption)
}
