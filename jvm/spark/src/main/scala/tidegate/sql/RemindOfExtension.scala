package tidegate.sql

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{UnresolvedFunction, UnresolvedTableValuedFunction}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{
  UNRESOLVED_FUNCTION,
  UNRESOLVED_TABLE_VALUED_FUNCTION
}
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}
import org.apache.spark.sql.tidegate.SparkInternals
import tidegate.errors.WatermarkErrors
import tidegate.planning.KeyedWatermarkStrategy

/** Refuses calls of our functions in sessions without the extension, unless there are such. */
private[tidegate] final case class RemindOfExtension(session: SparkSession)
    extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    if (plan.containsAnyPattern(UNRESOLVED_FUNCTION, UNRESOLVED_TABLE_VALUED_FUNCTION)) {
      plan.foreach { node =>
        node match {
          case call: UnresolvedTableValuedFunction if isOurs(call) => check(call.name, call.origin)
          case _                                                   => ()
        }
        node.expressions.foreach(_.foreach {
          case f: UnresolvedFunction if isOurs(f) => check(f.nameParts, f.origin)
          case _                                  => ()
        })
      }
    }
    plan
  }

  private def isOurs(call: UnresolvedTableValuedFunction): Boolean = call.name match {
    case Seq(name) =>
      name.equalsIgnoreCase(WatermarksFunction.Name) ||
      EventTimeCall.functionOf(call).isDefined && EventTimeCall.hasDescriptor(call)
    case _ => false
  }

  private def isOurs(f: UnresolvedFunction): Boolean = f.nameParts match {
    case Seq(name) => WatermarkFunctions.names.exists(_.equalsIgnoreCase(name))
    case _         => false
  }

  private def check(name: Seq[String], at: Origin): Unit =
    if (!SparkInternals.isFunction(session, name) && RemindOfExtension.isMissing(session)) {
      CurrentOrigin.withOrigin(at)(throw WatermarkErrors.extensionNotInstalled())
    }
}

private[tidegate] object RemindOfExtension {

  /** Whether a session lacks the extension. */
  def isMissing(session: SparkSession): Boolean =
    !SparkInternals.hasStrategy(session, classOf[KeyedWatermarkStrategy])
}
