package tidegate.analysis

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Expression, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import tidegate.columns.{EventTimeTag, WindowMark, WindowRole, WindowTimes}
import tidegate.errors.WindowErrors
import tidegate.plans.PreparedQuery

/**
 * Adds the end of the window to the keys of streaming operators that are grouped by its start
 * alone: only the end shows when a window is closed.
 */
object CompleteWindowKeys extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.isStreaming) plan
    else
      AnalysisHelper.allowInvokingTransformsInAnalyzer {
        if (plan.exists(_.isInstanceOf[PreparedQuery])) plan.transformUp {
          case d: Deduplicate if d.resolved && d.isStreaming => restored(d)
        }
        else
          plan.transformUp {
            case a: Aggregate if a.resolved && a.isStreaming =>
              lonelyStart(a.groupingExpressions).fold[LogicalPlan](a) { start =>
                val (child, end) = withEnd(a.child, start)
                a.copy(groupingExpressions = a.groupingExpressions :+ end, child = child)
              }
            case d: Distinct if d.resolved && d.isStreaming =>
              lonelyStart(d.output).fold[LogicalPlan](d) { start =>
                val (child, end) = withEnd(d.child, start)
                Aggregate(d.output :+ end, d.output, child)
              }
            case d: Deduplicate if d.resolved && d.isStreaming =>
              lonelyStart(d.keys).fold[LogicalPlan](d) { start =>
                val (child, end) = withEnd(d.child, start)
                Project(d.output, d.copy(keys = d.keys :+ end, child = child))
              }
          }
      }

  /**
   * The deduplication with the end of the window as its last key again. From version 4.3 on, Spark
   * looks up the keys once more when the query starts, by the names that the user gave.
   */
  private def restored(d: Deduplicate): Deduplicate = {
    val input = d.child.output
    val end = for {
      start <- lonelyStart(d.keys.map(key => input.find(_.exprId == key.exprId).getOrElse(key)))
      key = WindowMark.of(start).map(_.key)
      end <- input.reverse.find { a =>
        EventTimeTag.hasSparkTag(a) && WindowMark.hasRole(a, WindowRole.End) &&
        WindowMark.of(a).map(_.key) == key
      }
    } yield end
    end.fold(d)(e => d.copy(keys = d.keys :+ e))
  }

  /** The start of a window with a watermark, if no other key is a time of that watermark. */
  private def lonelyStart(keys: Seq[Expression]): Option[Attribute] = {
    val columns = keys.collect { case a: Attribute => a }
    columns.find { a =>
      WindowMark.of(a).exists { mark =>
        mark.role == WindowRole.Start && mark.lagMs.isDefined &&
        !columns.exists(c => EventTimeTag.hasSparkTag(c) && EventTimeTag.key(c) == mark.key)
      }
    }
  }

  private def withEnd(child: LogicalPlan, start: Attribute): (LogicalPlan, Attribute) = {
    val mark = WindowMark.of(start).get
    val grid = mark.grid.filterNot(_ => mark.sharesStart).getOrElse {
      CurrentOrigin.withOrigin(start.origin)(
        throw WindowErrors.windowByStart(mark.function, start.name)
      )
    }
    val end = Alias(
      WindowTimes.shifted(start, grid.sizeMs),
      WindowRole.End.columnName
    )(explicitMetadata = Some(mark.copy(role = WindowRole.End).metadata))
    Project(child.output ++ Seq[NamedExpression](end), child) -> end.toAttribute
  }
}
