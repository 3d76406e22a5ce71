package tidegate.sql

import org.apache.spark.sql.catalyst.analysis.{UnresolvedFunction, UnresolvedTableValuedFunction}
import org.apache.spark.sql.catalyst.expressions.FunctionTableSubqueryArgumentExpression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{
  UNRESOLVED_FUNCTION,
  UNRESOLVED_TABLE_VALUED_FUNCTION
}
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}
import tidegate.errors.{CallErrors, NearName}

/**
 * Refuses calls of functions that do not exist and have nearly the name of one of ours: Spark would
 * point at their `DESCRIPTOR`. A table function must look like ours as well: it has a `DESCRIPTOR`
 * or a table.
 */
private[tidegate] final case class CheckFunctionNames(isFunction: Seq[String] => Boolean)
    extends Rule[LogicalPlan] {
  private val Descriptor = "DESCRIPTOR"

  override def apply(plan: LogicalPlan): LogicalPlan = {
    if (plan.containsAnyPattern(UNRESOLVED_FUNCTION, UNRESOLVED_TABLE_VALUED_FUNCTION)) {
      plan.foreach { node =>
        node match {
          case call: UnresolvedTableValuedFunction if isLikeOurs(call) => check(call)
          case _                                                       => ()
        }
        node.expressions.foreach(_.foreach {
          case f: UnresolvedFunction => check(f)
          case _                     => ()
        })
      }
    }
    plan
  }

  private def isLikeOurs(call: UnresolvedTableValuedFunction): Boolean =
    EventTimeCall.hasDescriptor(call) || call.functionArgs.exists {
      EventTimeCall.value(_).isInstanceOf[FunctionTableSubqueryArgumentExpression]
    }

  private def check(call: UnresolvedTableValuedFunction): Unit =
    EventTimeFunction.near(call.name.last).foreach { function =>
      refuse(call.name, function.name, function.example, call.origin)
    }

  private def check(f: UnresolvedFunction): Unit = f.nameParts match {
    case Seq(name) =>
      NearName.of(name, WatermarkFunctions.names :+ Descriptor).foreach { near =>
        val example =
          if (near == Descriptor) s"$Descriptor(order_time)" else WatermarkFunctions.example(near)
        refuse(f.nameParts, near, example, f.origin)
      }
    case _ => ()
  }

  private def refuse(name: Seq[String], near: String, example: String, at: Origin): Unit =
    if (!name.mkString(".").equalsIgnoreCase(near) && !isFunction(name)) {
      CurrentOrigin.withOrigin(at) {
        throw CallErrors.unknownFunction(name.mkString("."), near, example)
      }
    }
}
