package tidegate.sql

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{
  UnresolvedAttribute,
  UnresolvedRelation,
  UnresolvedTableValuedFunction
}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SubqueryAlias}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}
import org.apache.spark.sql.tidegate.SparkInternals
import tidegate.errors.LaterSparkErrors

/**
 * Refuses `FROM STREAM t` and `FROM STREAM(t)` where Spark lacks the keyword: Spark reads a table
 * with the name `STREAM` and the alias `t`, or a function, and says that there is none. If there is
 * one, the statement means that one.
 */
private[tidegate] final case class CheckStreamTables(session: SparkSession)
    extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreach {
      case SubqueryAlias(_, table: UnresolvedRelation) if isStream(table.multipartIdentifier) =>
        if (!session.catalog.tableExists(table.multipartIdentifier.head)) refuse(table.origin)
      case f: UnresolvedTableValuedFunction if isStream(f.name) && hasTable(f) =>
        if (!SparkInternals.isFunction(session, f.name)) refuse(f.origin)
      case _ => ()
    }
    plan
  }

  private def isStream(name: Seq[String]) = name.size == 1 && name.head.equalsIgnoreCase("stream")

  private def hasTable(call: UnresolvedTableValuedFunction) = call.functionArgs match {
    case Seq(_: UnresolvedAttribute) => true
    case _                           => false
  }

  private def refuse(at: Origin): Unit =
    CurrentOrigin.withOrigin(at)(throw LaterSparkErrors.stream())
}
