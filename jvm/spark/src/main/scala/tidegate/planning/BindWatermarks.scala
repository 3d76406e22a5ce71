package tidegate.planning

import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.tidegate.{
  SessionWindowStateStoreSaveExec,
  StateStoreSaveExec,
  StateStoreWriter,
  StreamingSymmetricHashJoinExec,
  UpdateEventTimeColumnExec,
  WatermarkSupport
}
import tidegate.errors.WatermarkErrors
import tidegate.execution.{DropLateExec, FindDropLate, KeyedOperatorExec, KeyedWatermarkExec}
import tidegate.operators.{
  BindJoin,
  NullKeys,
  OneInputOperator,
  SideLimit,
  StateTimes,
  StatefulOperators
}
import tidegate.own.OwnOperatorExec
import tidegate.own.asof.{AsOfWatermarks, StreamAsOfJoinExec}
import tidegate.own.join.{IntervalJoinExec, Sides}
import tidegate.plans.OperatorName

/**
 * Gives each of Spark's stateful operators its own watermark, after Spark has filled in its single
 * global one.
 *
 *   - Their own filter for late rows is set to a value that drops nothing: `DropLate` below them
 *     has already dropped late rows.
 *   - Their eviction uses the clock's watermark at the end of the batch.
 *   - Below the last aggregation of a query in output mode update they append.
 *   - A join has no partner for a NULL in one of its keys.
 *   - `KeyedOperatorExec` above them shows both in `EXPLAIN`.
 *
 * An operator without a `DropLate` keeps Spark's watermark. An unknown operator over a keyed
 * watermark is refused: it would run on watermark 0 for ever.
 */
object BindWatermarks extends ColumnarRule {

  override def preColumnarTransitions: Rule[SparkPlan] = new Rule[SparkPlan] {
    override def apply(plan: SparkPlan): SparkPlan = plan.transformUp(Function.unlift(bound))
  }

  private def bound(node: SparkPlan): Option[SparkPlan] = node match {
    case u: UpdateEventTimeColumnExec => bindUpdate(u)
    // Spark has numbered the states.
    case o: OperatorsInOrderExec => Some(o.child)
    case f: FirstBatchExec       => Some(f.child)
    case c: ClosingExec          => Some(c.withShuffles)
    case j: IntervalJoinExec     => Some(bindJoin(j))
    case j: StreamAsOfJoinExec   => j.owner.map(bindAsOf(j, _))
    // Our own operators were planned with their watermarks.
    case own: OwnOperatorExec =>
      for (name <- own.context.name; drop <- FindDropLate.named(own, name))
        yield keyed(own, Seq(drop))
    case j: StreamingSymmetricHashJoinExec if overKeyed(j).isDefined =>
      val excluded = NullKeys.excluded(j)
      Some(FindDropLate.owner(j).fold[SparkPlan](excluded)(bindJoin(excluded, _)))
    case _ if StatefulOperators.isPlannedAs(node)  => bindOneTime(node)
    case _: StateStoreWriter | _: WatermarkSupport => refuseOverKeyed(node)
    case _                                         => None
  }

  private def bindJoin(join: StreamingSymmetricHashJoinExec, owner: OperatorName): SparkPlan = {
    val (left, right) =
      (FindDropLate.ownedBy(join.left, owner), FindDropLate.ownedBy(join.right, owner))
    keyed(BindJoin(join, left.map(stateTimes), right.map(stateTimes)), left ++ right)
  }

  private def bindJoin(join: IntervalJoinExec): SparkPlan = {
    val drops = Sides(join.left, join.right).map(FindDropLate.ownedBy(_, join.owner))
    val times = drops.map(_.map(stateTimes))
    val byKey = BindJoin.keyOrdinal(join.leftKeys, join.rightKeys, times.left, times.right)
    // A query is planned with this join only if each side has one time.
    val limits = drops.map { side =>
      val drop = side.head
      () => SideLimit.of(drop.time, drop.times, drop.isInclusive, byKey.isDefined)
    }
    keyed(join.copy(limits = Some(limits)), drops.left ++ drops.right)
  }

  private def bindAsOf(join: StreamAsOfJoinExec, owner: OperatorName): SparkPlan = {
    val drops = join.children.flatMap(FindDropLate.ownedBy(_, owner))
    drops match {
      case Seq(left, right) =>
        val watermarks = () => AsOfWatermarks(left.times, right.times, left.isInclusive)
        keyed(join.copy(watermarks = Some(watermarks)), drops)
      case _ => throw new IllegalStateException(s"${owner.name} has no time on each side")
    }
  }

  private def bindOneTime(node: SparkPlan): Option[SparkPlan] =
    for {
      owner <- FindDropLate.owner(node)
      kind <- StatefulOperators.named(owner.kind).collect { case o: OneInputOperator => o }
      drop <- FindDropLate.named(node, owner.name)
    } yield kind.bound(if (drop.appends) appending(node) else node)(stateTimes(drop)) match {
      case s: StateStoreWriter => keyed(s, Seq(drop))
      case other               => other
    }

  /** Spark has given the mode of the query to all operators. */
  private def appending(node: SparkPlan): SparkPlan = node match {
    case s: StateStoreSaveExec              => s.copy(outputMode = Some(OutputMode.Append()))
    case s: SessionWindowStateStoreSaveExec => s.copy(outputMode = Some(OutputMode.Append()))
    case other                              => other
  }

  private def keyed(operator: SparkPlan, drops: Seq[DropLateExec]): SparkPlan =
    KeyedOperatorExec(
      operator,
      drops.map(_.operator),
      () => drops.map(_.describe) ++ Option.when(drops.exists(_.appends))("appends"),
      drops.map(_.late)
    )

  private def stateTimes(drop: DropLateExec): StateTimes = {
    val times = drop.times
    StateTimes(drop.time, times.evictionMs, times.evictedMs, drop.isInclusive)
  }

  /**
   * Spark checks the column that `transformWithState` emits against the watermark that the operator
   * runs on.
   */
  private def bindUpdate(update: UpdateEventTimeColumnExec): Option[SparkPlan] =
    for {
      operator <- update.child.collectFirst { case w: StateStoreWriter => w }
      owner <- FindDropLate.owner(operator)
      drop <- FindDropLate.named(operator, owner.name)
    } yield update.copy(
      eventTimeWatermarkForLateEvents =
        Some(if (drop.isInclusive) drop.times.lateMs else StateTimes.passed(drop.times.lateMs))
    )

  private def overKeyed(node: SparkPlan): Option[KeyedWatermarkExec] =
    node.collectFirst { case k: KeyedWatermarkExec => k }

  private def refuseOverKeyed(node: SparkPlan): Option[SparkPlan] =
    overKeyed(node).map { k =>
      throw WatermarkErrors.unknownStatefulOperator(
        node.getClass.getName,
        k.spec.name,
        StatefulOperators.names
      )
    }
}
