package tidegate.checks

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.InlineCTE
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Generate, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.types.LongType
import tidegate.columns.{EventTimeTag, WindowMark}
import tidegate.errors.WindowErrors
import tidegate.plans.{ColumnOrigin, KeyedWatermark}

/**
 * Refuses aggregations over keyed watermarks that are not grouped by a time with a watermark, in
 * output mode append. Spark refuses them too, right after this, but cannot say which column is
 * meant. Those over our window functions are in `CheckWindowedAggregates`.
 */
object CheckUntimedAggregates extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan match {
      case w: WriteToStreamStatement
          if w.outputMode == OutputMode.Append() && conf.isUnsupportedOperationCheckEnabled =>
        InlineCTE(alwaysInline = true)(w.inputQuery).foreach {
          case a: Aggregate if a.child.isStreaming && isUntimed(a) => refuse(a)
          case _                                                   => ()
        }
      case _ => ()
    }
    plan
  }

  private def isUntimed(a: Aggregate): Boolean =
    a.child.exists(_.isInstanceOf[KeyedWatermark]) &&
      !(a.groupingExpressions ++ a.output).exists {
        case key: Attribute => EventTimeTag.hasSparkTag(key) || WindowMark.of(key).isDefined
        case _              => false
      }

  private def refuse(a: Aggregate): Unit = {
    val computed = for {
      key <- a.groupingExpressions
      (time, source) <- computedTime(a.child, key)
    } yield (key, time, source, sourcesOf(a.child, key).distinctBy(_.name).size > 1)
    computed.headOption match {
      case Some((key, time, source, isOfSeveral)) =>
        CurrentOrigin.withOrigin(key.origin) {
          throw WindowErrors.aggregateOnComputedTime(time, source, isOfSeveral)
        }
      case None =>
        LostTime.in(a.child).foreach { lost =>
          throw WindowErrors.aggregateAfterLostTime(keys(a), lost.time, lost.step)
        }
        val kept = a.child.output.filter(EventTimeTag.key(_).isDefined)
        val times = if (kept.nonEmpty) kept else a.child.collect(watermarkColumn)
        throw WindowErrors.aggregateWithoutTime(keys(a), times.head, isKept = kept.nonEmpty)
    }
  }

  private val watermarkColumn: PartialFunction[LogicalPlan, Attribute] = { case k: KeyedWatermark =>
    k.eventTime
  }

  /** The keys as a user knows them, without the one that tells grouping sets apart. */
  private def keys(a: Aggregate): Seq[String] =
    a.groupingExpressions.map(toPrettySQL(_)).filterNot(_ == VirtualColumn.groupingIdName)

  /** What a key is computed from, and the column with a watermark that this was computed from. */
  private def computedTime(plan: LogicalPlan, key: Expression): Option[(String, Attribute)] =
    key match {
      case column: Attribute =>
        for {
          (definition, input) <- definition(plan, column)
          source <- keyedSource(input, definition)
          found = timeOf(definition).fold(column.name)(toPrettySQL(_))
        } yield named(found, source.name, input, definition) -> source
      case expression => keyedSource(plan, expression).map(toPrettySQL(expression) -> _)
    }

  /** A column that was computed from one of its own name is shown with its definition. */
  private def named(
      found: String,
      source: String,
      input: LogicalPlan,
      definition: Expression
  ): String =
    if (found != source) found
    else
      definition.references.headOption
        .flatMap(this.definition(input, _))
        .fold(found) { case (above, _) => s"$found, which is ${toPrettySQL(above)}" }

  /** The time that a window is made of. */
  private def timeOf(definition: Expression): Option[Expression] = definition.collectFirst {
    case PreciseTimestampConversion(time, _, LongType) => time
    case w: SessionWindow                              => w.timeColumn
  }

  private def keyedSource(plan: LogicalPlan, e: Expression): Option[Attribute] =
    sourcesOf(plan, e).headOption

  /** The columns with a watermark that an expression is computed from. */
  private def sourcesOf(plan: LogicalPlan, e: Expression): Seq[Attribute] =
    e.collect { case a: Attribute => a }.flatMap { column =>
      if (EventTimeTag.key(column).isDefined) Seq(column)
      else
        definition(plan, column).toSeq.flatMap { case (definition, input) =>
          sourcesOf(input, definition)
        }
    }

  /** The expression of a column, and the plan that it reads. */
  private def definition(
      plan: LogicalPlan,
      column: Attribute
  ): Option[(Expression, LogicalPlan)] = {
    val origin = ColumnOrigin.inFirstBranch(plan, column)
    origin.node match {
      case g: Generate => Some(g.generator -> g.child)
      case _           => origin.computedBy.map(_ -> origin.input)
    }
  }
}
