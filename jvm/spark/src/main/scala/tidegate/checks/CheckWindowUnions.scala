package tidegate.checks

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.optimizer.InlineCTE
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Union}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import tidegate.columns.WindowMark
import tidegate.errors.WindowErrors
import tidegate.operators.StatefulOperators
import tidegate.plans.ColumnOrigin

/**
 * Refuses stateful operators on a window column of a union whose branches have different windows in
 * it: a union takes the marks of a column from its first branch.
 */
object CheckWindowUnions extends (LogicalPlan => Unit) {

  override def apply(plan: LogicalPlan): Unit =
    if (plan.isStreaming && plan.exists(_.isInstanceOf[Union])) {
      InlineCTE(alwaysInline = true)(plan).foreach {
        case operator if StatefulOperators.isOne(operator) =>
          for (child <- operator.children; a <- operator.references if isMarked(child, a)) {
            check(child, a)
          }
        case _ => ()
      }
    }

  private def isMarked(plan: LogicalPlan, column: Attribute): Boolean =
    plan.output.exists(a => a.exprId == column.exprId && WindowMark.of(a).isDefined)

  private def check(plan: LogicalPlan, column: Attribute): Unit = {
    val branches = ColumnOrigin.branches(plan, column).map(_._2)
    if (branches.map(WindowMark.of(_).map(_.window)).distinct.size > 1) {
      val own = ColumnOrigin.of(plan, column).column
      CurrentOrigin.withOrigin(own.origin) {
        throw WindowErrors.windowsOfUnion(own.name, branches.map(describe))
      }
    }
  }

  private def describe(column: Attribute): String = WindowMark.of(column) match {
    case None       => s"`${column.name}`, which is no window"
    case Some(mark) =>
      val lengths = mark.grid.map(g => s" of ${g.sizeMs} ms every ${g.slideMs} ms")
      s"${mark.function}${lengths.getOrElse("")}"
  }
}
