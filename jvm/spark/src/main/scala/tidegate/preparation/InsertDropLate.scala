package tidegate.preparation

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.streaming.OutputMode
import tidegate.columns.{EventTimeTag, WindowMark}
import tidegate.core.clock.{InputTime, OperatorBatch}
import tidegate.errors.{OperatorErrors, WatermarkErrors}
import tidegate.operators.StatefulOperators.OneInput
import tidegate.operators.{
  AsOfJoin,
  JoinLimits,
  KeyedTimes,
  LastAggregation,
  OneInputOperator,
  StreamJoin,
  TimedOperator,
  WindowColumns
}
import tidegate.plans.{
  ColumnOrigin,
  DropLate,
  KeyedWatermark,
  NamedOperator,
  OperatorName,
  RetagEventTime,
  TimedPair
}

/**
 * Puts a `DropLate` under every operator that would drop late rows, and on each side of a join.
 *
 * The node moves down through filters and projections to where its time or window column is made.
 * So late rows that a filter in between would remove are counted too, even if Spark could move that
 * filter. A filter below is a filter of the rows from which `groupBy(window(...))` makes its
 * windows: what it removes never had a window.
 */
object InsertDropLate {

  /**
   * @throws AnalysisException
   *   if two times of an operator are equally good, or if a watermark allows lateness that nothing
   *   makes use of
   */
  def apply(plan: LogicalPlan, mode: OutputMode): LogicalPlan =
    numbered(new InsertDropLate(plan, mode).insert())

  /**
   * In plan order, because the numbers of a query's state must stay the same from one start to the
   * next.
   */
  private def numbered(plan: LogicalPlan): LogicalPlan = {
    // Plain columns of joins come last: a query may have begun when they were not among its times.
    val (plain, keyed) = plan.collect { case d: DropLate => d }.partition(_.isPlain)
    val ids = (keyed ++ plain).map(_.operator).zipWithIndex.toMap
    plan.transformDown { case d: DropLate =>
      d.copy(stateId = DropLate.FirstStateId + ids(d.operator))
    }
  }
}

private final class InsertDropLate(plan: LogicalPlan, mode: OutputMode) {
  private val defaults = new UniqueNames(plan.collect { case k: KeyedWatermark => k.spec.name })
  private val times = new KeyedTimes
  private val lateRows = plan
    .collect { case k: KeyedWatermark => k.spec }
    .flatMap { spec =>
      spec.lateRows.map(spec.name -> _)
    }
    .toMap
  private val lateness = new AllowedLateness(plan, mode)
  private val modeOf = LastAggregation.modes(plan, mode)
  private val isAsInSpark = plan.exists {
    case k: KeyedWatermark => k.spec.slowestOf.isDefined
    case _                 => false
  }

  def insert(): LogicalPlan = {
    val inserted = insert(plan, None)
    lateness.checkUsed()
    inserted
  }

  /** From the leaves up: an operator above needs to know the times below. */
  private def insert(plan: LogicalPlan, chosen: Option[String]): LogicalPlan = plan match {
    case NamedOperator(name, operator)         => insert(operator, Some(name))
    case r: RetagEventTime if chosen.isDefined => r.copy(child = insert(r.child, chosen))
    case other                                 =>
      val below = other.mapChildren(insert(_, None))
      CurrentOrigin.withOrigin(other.origin) {
        below match {
          case StreamJoin(join)         => insertInto(join, chosen)
          case AsOfJoin(join)           => insertInto(join, chosen)
          case OneInput(operator, kind) => insertInto(operator, kind, chosen, modeOf(other))
          case stateless                => withoutDrops(stateless, chosen)
        }
      }
  }

  private def nameOf(kind: TimedOperator, chosen: Option[String]): OperatorName = {
    val default = defaults.next(kind.name)
    OperatorName(kind.name, chosen.getOrElse(default), default)
  }

  /** An operator for which no late rows are dropped cannot have a name. */
  private def withoutDrops(operator: LogicalPlan, chosen: Option[String]): LogicalPlan = {
    chosen.foreach(name => throw OperatorErrors.nameWithoutOperator(name))
    operator
  }

  private def insertInto(
      operator: LogicalPlan,
      kind: OneInputOperator,
      chosen: Option[String],
      itsMode: OutputMode
  ): LogicalPlan = {
    val owner = nameOf(kind, chosen)
    val child = operator.children.head
    val time = if (kind.dropsLate(mode)) kind.time(operator) else None
    if (time.isEmpty) refuseWithoutEnd(operator, kind, owner.name)
    time.filter(isUsed(operator, kind, child, _)).fold(withoutDrops(operator, chosen)) { t =>
      val input = lateness.of(operator, kind, t, itsMode, inputTime(child, t, owner.name))
      val drop = push(child, t, throughAliases = true)(
        dropLate(_, _, owner.name, owner, input, Some(input), kind.lowestMs)
          .copy(appends = itsMode != mode)
      )
      kind.named(operator.withNewChildren(drop +: operator.children.tail), owner.name)
    }
  }

  /**
   * Spark lets an operator run on a time whose watermark is gone. It would have the watermark 0 for
   * ever, and put out nothing.
   */
  private def refuseWithoutEnd(
      operator: LogicalPlan,
      kind: OneInputOperator,
      name: String
  ): Unit = {
    val child = operator.children.head
    val marked = (kind.keys(operator) ++ kind.inState(operator)).filter(EventTimeTag.hasSparkTag)
    val isSparks = child.exists(_.isInstanceOf[EventTimeWatermark])
    if (kind.dropsLate(mode) && kind.usesEventTime(operator) && !isSparks)
      marked
        .find(time => EventTimeTag.key(time).isEmpty && kind.isNeeded(operator, time))
        .foreach(time => throw WatermarkErrors.timeWithoutWatermark(name, time.name))
  }

  private def insertInto(join: Join, chosen: Option[String]): LogicalPlan = {
    val owner = nameOf(StreamJoin, chosen)
    val limits = new JoinLimits(join, times)
    def side(plan: LogicalPlan, sideName: String): LogicalPlan =
      StreamJoin
        .times(join, plan)
        .filter(t => limits.ofPlain(t).isDefined || isUsed(join, StreamJoin, plan, t))
        .foldLeft(plan) { (below, time) =>
          val default = defaults.next(s"${owner.default}.$sideName")
          val name = owner.name + default.stripPrefix(owner.default)
          val ofPlain = limits.ofPlain(time)
          val input = ofPlain.fold(inputTime(plan, time, name))(_._2)
          // The state of the join is cleaned by this column, so the column must keep its name.
          push(below, time, throughAliases = false)(
            dropLate(
              _,
              _,
              name,
              owner,
              input,
              limits.of(time),
              OperatorBatch.NothingLate,
              ofPlain.map(_._1)
            )
          )
        }
    val (left, right) = (side(join.left, "left"), side(join.right, "right"))
    if ((left eq join.left) && (right eq join.right)) withoutDrops(join, chosen)
    else join.copy(left = left, right = right)
  }

  /** A left row leaves when it is decided, and a version when no left row needs it. */
  private def insertInto(join: TimedPair, chosen: Option[String]): LogicalPlan = {
    val owner = nameOf(AsOfJoin, chosen)
    def nameOfSide(side: String) =
      owner.name + defaults.next(s"${owner.default}.$side").stripPrefix(owner.default)
    val (leftName, rightName) = (nameOfSide("left"), nameOfSide("right"))
    val left = inputTime(join.left, join.leftTime, leftName)
    val right = inputTime(join.right, join.rightTime, rightName)
    def side(
        plan: LogicalPlan,
        time: Attribute,
        name: String,
        input: InputTime,
        eviction: InputTime
    ) = push(plan, time, throughAliases = true)(
      dropLate(_, _, name, owner, input, Some(eviction), OperatorBatch.NothingLate)
    )
    join
      .named(owner)
      .withNewChildren(
        Seq(
          side(join.left, join.leftTime, leftName, left, AsOfJoin.decided(left, right)),
          side(join.right, join.rightTime, rightName, right, AsOfJoin.passed(left, right))
        )
      )
  }

  /**
   * A time whose key does not reach the operator is ignored if the operator can work without it.
   */
  private def isUsed(
      operator: LogicalPlan,
      kind: TimedOperator,
      child: LogicalPlan,
      time: Attribute
  ): Boolean =
    kind.isNeeded(operator, time) || EventTimeTag.key(time).exists(times.of(child).contains)

  private def inputTime(child: LogicalPlan, time: Attribute, name: String): InputTime = {
    val key = EventTimeTag.key(time).get
    times
      .of(child)
      .getOrElse(
        key,
        throw WatermarkErrors.keyNotAvailable(name, time.name, key, times.whyMissing(child, key))
      )
  }

  private def dropLate(
      below: LogicalPlan,
      time: Attribute,
      name: String,
      owner: OperatorName,
      input: InputTime,
      eviction: Option[InputTime],
      lowestMs: Long,
      keyOfPlain: Option[Byte] = None
  ): DropLate = {
    val eventTime = WindowColumns.grid(below, time).map(_._2).filter(below.outputSet.contains)
    val grid = WindowColumns.gridOf(below, time)
    // Of several watermarks, as after a join, the first that has a folder decides.
    val folder = if (keyOfPlain.isDefined) None else input.nodes.flatMap(lateRows.get).headOption
    DropLate(
      below,
      time,
      keyOfPlain.getOrElse(EventTimeTag.key(time).get),
      name,
      owner,
      input,
      eviction,
      grid,
      eventTime,
      lowestMs,
      isPlain = keyOfPlain.isDefined,
      substream = LateSubstream.of(below, input.nodes),
      isInclusive = isAsInSpark,
      lateRows = folder,
      whole = if (folder.isDefined) asItCame(below, time) else Nil
    )
  }

  /** A late row as it came: without what says in which window its time is, if its time is there. */
  private def asItCame(below: LogicalPlan, time: Attribute): Seq[Attribute] =
    below.output.filterNot { column =>
      val isWindow = column.exprId == time.exprId && EventTimeTag.isWindow(time)
      (isWindow || WindowMark.of(column).isDefined) && isMadeOfOthers(below, column)
    }

  /** Whether the query has computed a column from others that are still there. */
  private def isMadeOfOthers(below: LogicalPlan, column: Attribute): Boolean = {
    val origins = WindowColumns
      .grid(below, column)
      .map { case (_, time) => AttributeSet(time) }
      .orElse(ColumnOrigin.inFirstBranch(below, column).computedBy.map(_.references))
    origins.exists(of => of.nonEmpty && of.subsetOf(below.outputSet))
  }

  /**
   * Moves down through nodes that only pass on or remove rows, as far as the column is known there.
   */
  private def push(plan: LogicalPlan, time: Attribute, throughAliases: Boolean)(
      drop: (LogicalPlan, Attribute) => LogicalPlan
  ): LogicalPlan = plan match {
    // Grouping sets copy rows: a late row is counted once.
    case _: Filter | _: Project | _: SubqueryAlias | _: View | _: RetagEventTime | _: Expand =>
      ColumnOrigin.below(plan, time) match {
        case Some((child, source)) if throughAliases || source.exprId == time.exprId =>
          plan.withNewChildren(Seq(push(child, source, throughAliases)(drop)))
        case _ => drop(plan, time)
      }
    case other => drop(other, time)
  }
}
