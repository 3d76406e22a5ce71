package tidegate.analysis

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.InlineCTE
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.types._
import tidegate.columns.{EventTimeTag, WindowMark, WindowRole}
import tidegate.errors.RefusalErrors
import tidegate.functions.{RankFunction, TopRows}
import tidegate.operators.WindowColumns
import tidegate.plans.ColumnOrigin

/**
 * Makes the first rows of each group, `ROW_NUMBER() OVER (PARTITION BY ... ORDER BY ...)` below a
 * filter that asks for the first numbers, an aggregation: Spark has no such functions over streams.
 * In output mode append one of the keys is a time, as in every aggregation, and the rows leave when
 * their window is closed.
 *
 * For the plan of a query that is about to start. In batch queries the functions are Spark's.
 */
object LowerTopN extends AtStart with PredicateHelper {

  override protected def inQuery(query: LogicalPlan, mode: OutputMode): LogicalPlan =
    if (!query.exists(isStreamRank)) query
    else
      AnalysisHelper.allowInvokingTransformsInAnalyzer {
        val unmarked = mutable.Map.empty[ExprId, Metadata]
        // A common table expression that is used twice has its clock twice then.
        val whole = KeepOneClock(InlineCTE(alwaysInline = true)(query))
        val lowered = whole.transformUp { case f: Filter =>
          Ranked.below(f).filterNot(leaveAtOnce(_, mode)).fold[LogicalPlan](f) { ranked =>
            if (mode == OutputMode.Update()) {
              checkUpserts(query, ranked)
              warnOfEndless(ranked)
            }
            unmarked ++= ranked.unmarked
            f.copy(child = ranked.plan)
          }
        }
        if (unmarked.isEmpty) lowered else withMarks(lowered, unmarked)
      }

  private def isStreamRank(plan: LogicalPlan): Boolean = plan match {
    case w: Window =>
      w.isStreaming && w.windowExpressions.exists(_.exists(Rank.unapply(_).isDefined))
    case _ => false
  }

  /** Above the new aggregation its columns are as it gives them, below it as they were. */
  private def withMarks(plan: LogicalPlan, marks: collection.Map[ExprId, Metadata]): LogicalPlan =
    if (plan.getTagValue(IsLowered).isDefined) plan
    else
      plan.mapChildren(withMarks(_, marks)).transformExpressions {
        case a: AttributeReference if marks.contains(a.exprId) => a.withMetadata(marks(a.exprId))
      }

  /**
   * In output mode update a row takes the place of the one that had its keys and its rank. So each
   * rank that was given out is given out again, and shows.
   */
  private def checkUpserts(query: LogicalPlan, ranked: Ranked): Unit = {
    val name = ranked.rank.name
    ranked.conditions.find(_.references.exists(_.exprId != ranked.rank.exprId)).foreach { other =>
      throw RefusalErrors.topNFiltered(toPrettySQL(other), name)
    }
    val isShown = query.output.exists { a =>
      ColumnOrigin.of(query, a).column.exprId == ranked.rank.exprId
    }
    if (ranked.limit > 1 && !isShown) throw RefusalErrors.topNWithoutRank(name, ranked.limit)
  }

  /**
   * Whether the first rows are the first by time, which no later row replaces. They leave without a
   * time among the keys too, which Spark asks for in aggregations in output mode append.
   */
  private def leaveAtOnce(ranked: Ranked, mode: OutputMode): Boolean =
    mode == OutputMode.Append() && ranked.isEndless && LowerOver.takes(ranked.window)

  private def warnOfEndless(ranked: Ranked): Unit =
    if (ranked.isEndless) {
      val keys =
        if (ranked.keys.isEmpty) "all rows" else ranked.keys.map(_.name).mkString("each ", ", ", "")
      logWarning(
        s"The query keeps the first rows of $keys for ever, as no time with a watermark is among these " +
          "columns. Where keys go out of use, add such a time to PARTITION BY, or a window of it."
      )
    }

  private val IsLowered = TreeNodeTag[Unit]("tidegate.topN")

  private object Rank {
    def unapply(e: Expression): Option[RankFunction] = e match {
      case WindowExpression(_: RowNumber, _) => Some(RankFunction.RowNumber)
      case WindowExpression(_: org.apache.spark.sql.catalyst.expressions.Rank, _) =>
        Some(RankFunction.Rank)
      case WindowExpression(_: DenseRank, _) => Some(RankFunction.DenseRank)
      case _                                 => None
    }
  }

  /**
   * The plan below a filter, with an aggregation in the place of the window function.
   *
   * @param keys
   *   the columns whose rows are ranked together
   * @param rank
   *   the column with the rank
   * @param conditions
   *   what the filters above say, in terms of the columns of the window function
   * @param unmarked
   *   columns that are no times any more, with their metadata
   */
  private final case class Ranked(
      window: Window,
      plan: LogicalPlan,
      keys: Seq[Attribute],
      rank: Attribute,
      limit: Int,
      conditions: Seq[Expression],
      unmarked: Map[ExprId, Metadata]
  ) {

    /** Whether no time is among the keys. */
    def isEndless: Boolean =
      !keys.exists(k => EventTimeTag.hasSparkTag(k) || WindowMark.of(k).isDefined)
  }

  private object Ranked {

    def below(filter: Filter): Option[Ranked] =
      in(filter.child, splitConjunctivePredicates(filter.condition))

    private def in(plan: LogicalPlan, conditions: Seq[Expression]): Option[Ranked] = plan match {
      case p: Project =>
        val aliases = getAliasMap(p)
        within(p, conditions.map(replaceAlias(_, aliases)))
      case f: Filter => within(f, conditions ++ splitConjunctivePredicates(f.condition))
      case _: SubqueryAlias | _: View => within(plan.asInstanceOf[UnaryNode], conditions)
      case w: Window if w.isStreaming =>
        for {
          (rank, function) <- w.windowExpressions match {
            case Seq(a @ Alias(Rank(function), _)) => Some(a.toAttribute -> function)
            case _                                 => None
          }
          limit <- conditions.flatMap(limitIn(_, rank)).minOption
        } yield aggregated(w, rank, function, limit, conditions)
      case _ => None
    }

    private def within(node: UnaryNode, conditions: Seq[Expression]): Option[Ranked] =
      in(node.child, conditions).map(r => r.copy(plan = node.withNewChildren(Seq(r.plan))))

    private def isWhole(e: Expression): Boolean =
      Seq(ByteType, ShortType, IntegerType, LongType).contains(e.dataType)

    /** The highest rank that a condition lets through. */
    private def limitIn(condition: Expression, rank: Attribute): Option[Int] = {
      def isRank(e: Expression): Boolean = e match {
        case c: Cast      => isWhole(c) && isRank(c.child)
        case a: Attribute => a.exprId == rank.exprId
        case _            => false
      }
      def value(e: Expression): Option[Long] =
        if (isWhole(e) && e.foldable) Option(e.eval()).map(_.asInstanceOf[Number].longValue)
        else None
      val found = condition match {
        case LessThanOrEqual(r, v) if isRank(r)                              => value(v)
        case GreaterThanOrEqual(v, r) if isRank(r)                           => value(v)
        case EqualTo(r, v) if isRank(r)                                      => value(v)
        case EqualTo(v, r) if isRank(r)                                      => value(v)
        case LessThan(r, v) if isRank(r)                                     => value(v).map(_ - 1)
        case GreaterThan(v, r) if isRank(r)                                  => value(v).map(_ - 1)
        case Between(r, _, v, _) if isRank(r)                                => value(v)
        case In(r, values) if isRank(r) && values.forall(value(_).isDefined) =>
          values.flatMap(value).maxOption
        case _ => None
      }
      found.map(_.max(0L).min(Int.MaxValue).toInt)
    }

    private def aggregated(
        w: Window,
        rank: Attribute,
        function: RankFunction,
        limit: Int,
        conditions: Seq[Expression]
    ): Ranked = {
      val partition = w.partitionSpec.collect { case a: Attribute => a }
      val keys = w.child.output.filter(a => partition.exists(isSameKey(w.child, _, a)))
      val columns = w.child.output.filterNot(a => keys.exists(_.exprId == a.exprId))
      val top = Alias(
        TopRows(CreateStruct(columns), w.orderSpec, function, limit).toAggregateExpression(),
        "top"
      )()
      val aggregate = Aggregate(keys, keys :+ top, w.child)
      val number = AttributeReference("rank", IntegerType, nullable = false)()
      val row = AttributeReference("row", CreateStruct(columns).dataType, nullable = false)()
      val rows = Generate(
        Inline(top.toAttribute),
        Seq(keys.size),
        outer = false,
        None,
        Seq(number, row),
        aggregate
      )
      val marks = columns.map(a => a.exprId -> EventTimeTag.unmarked(a.metadata)).toMap
      val made = columns.zipWithIndex.map { case (a, i) =>
        a.exprId -> named(GetStructField(row, i, Some(a.name)), a, marks(a.exprId))
      }.toMap
      val plan = Project(
        w.output.map { a =>
          if (a.exprId == rank.exprId) named(number, a, a.metadata)
          else made.getOrElse(a.exprId, keys.find(_.exprId == a.exprId).get)
        },
        rows
      )
      plan.setTagValue(IsLowered, ())
      val unmarked = columns.filter(a => marks(a.exprId) != a.metadata).map(_.exprId)
      Ranked(w, plan, keys, rank, limit, conditions, marks.view.filterKeys(unmarked.contains).toMap)
    }

    /** The other columns of a window follow from its end, and often from its start. */
    private def isSameKey(plan: LogicalPlan, key: Attribute, column: Attribute): Boolean =
      key.exprId == column.exprId ||
        WindowMark.of(key).exists(m => m.role != WindowRole.Start || !m.sharesStart) &&
        WindowColumns.areOfOneWindow(plan, key, column)

    private def named(e: Expression, as: Attribute, metadata: Metadata): Alias =
      Alias(e, as.name)(as.exprId, as.qualifier, Some(metadata))
  }
}
