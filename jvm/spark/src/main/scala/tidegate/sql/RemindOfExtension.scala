package tidegate.sql

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.analysis.{UnresolvedFunction, UnresolvedTableValuedFunction}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{
  UNRESOLVED_FUNCTION,
  UNRESOLVED_TABLE_VALUED_FUNCTION
}
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}
import org.apache.spark.sql.tidegate.SparkInternals
import org.apache.spark.sql.{AnalysisException, SparkSession}
import tidegate.errors.WatermarkErrors
import tidegate.planning.KeyedWatermarkStrategy

/**
 * Refuses calls of our functions in sessions without the extension, unless the session has
 * functions of these names. If the rule itself fails, Spark goes on as if the rule were not there.
 */
private[tidegate] final case class RemindOfExtension(session: SparkSession)
    extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    if (plan.containsAnyPattern(UNRESOLVED_FUNCTION, UNRESOLVED_TABLE_VALUED_FUNCTION)) {
      RemindOfExtension.orElse(Option.empty[AnalysisException])(reminder(plan)).foreach(throw _)
    }
    plan
  }

  private def reminder(plan: LogicalPlan): Option[AnalysisException] =
    for {
      (name, at) <- calls(plan).headOption
      if RemindOfExtension.isUnknown(session, name)
    } yield CurrentOrigin.withOrigin(at)(WatermarkErrors.extensionNotInstalled())

  private def calls(plan: LogicalPlan): Seq[(String, Origin)] =
    plan.collect { case node =>
      val ofTable = node match {
        case call: UnresolvedTableValuedFunction => ours(call).map(_ -> call.origin)
        case _                                   => None
      }
      ofTable ++ node.expressions.flatMap(_.collect(Function.unlift(scalarCall)))
    }.flatten

  private def ours(call: UnresolvedTableValuedFunction): Option[String] = call.name match {
    case Seq(name)
        if MonitoringFunctions.names.exists(name.equalsIgnoreCase) ||
          EventTimeCall.functionOf(call).isDefined && EventTimeCall.hasDescriptor(call) =>
      Some(name)
    case _ => None
  }

  private def scalarCall(e: AnyRef): Option[(String, Origin)] = e match {
    case f: UnresolvedFunction =>
      f.nameParts match {
        case Seq(name) if WatermarkFunctions.names.exists(_.equalsIgnoreCase(name)) =>
          Some(name -> f.origin)
        case _ => None
      }
    case _ => None
  }
}

private[tidegate] object RemindOfExtension {

  /** A reminder, or `usual` if the reminder fails: nobody has asked for it in this session. */
  def orElse[T](usual: => T)(reminder: => T): T =
    try reminder
    catch { case NonFatal(_) | _: LinkageError => usual }

  /** Whether a session lacks the extension, and has no function of its own with this name. */
  def isUnknown(session: SparkSession, name: String): Boolean =
    !SparkInternals.hasStrategy(session, classOf[KeyedWatermarkStrategy]) &&
      !SparkInternals.isFunction(session, Seq(name))
}
