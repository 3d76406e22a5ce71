package tidegate.sql

import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIfNeeded
import tidegate.builders.AsOfJoins
import tidegate.errors.AsOfErrors
import tidegate.plans.AsOfTable

/**
 * Makes each join with a table `FOR SYSTEM_TIME AS OF` a column an as-of join, and each table `FOR
 * SYSTEM_TIME AS OF PROCTIME()` the table alone, which Spark reads anew in each batch.
 */
private[tidegate] object ResolveAsOfTables extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (plan.exists(_.isInstanceOf[AsOfTable])) withJoins(plan) else plan

  private def withJoins(plan: LogicalPlan): LogicalPlan = {
    val resolved = plan.resolveOperatorsUp {
      case j: Join if j.resolved                    => joined(j).getOrElse(j)
      case AsOfTable(None, table) if table.resolved =>
        if (table.isStreaming) throw AsOfErrors.streamOfNow()
        table
    }
    if (resolved.resolved) resolved.foreach {
      case table @ AsOfTable(Some(time), _) =>
        CurrentOrigin.withOrigin(table.origin)(throw AsOfErrors.misplaced(name(time)))
      case _ => ()
    }
    resolved
  }

  private def joined(join: Join): Option[LogicalPlan] = asOf(join.right).map {
    case (table, right) =>
      CurrentOrigin.withOrigin(table.origin) {
        AsOfJoins.of(
          join.copy(right = right),
          AsOfJoins.Arguments(table.time.map(name), None, None, isInSql = true)
        )
      }
  }

  private def name(parts: Seq[String]): String = parts.map(quoteIfNeeded).mkString(".")

  /** The table of a side, and the side without the words behind the table. */
  private def asOf(side: LogicalPlan): Option[(AsOfTable, LogicalPlan)] = side match {
    case table @ AsOfTable(Some(_), child) => Some(table -> child)
    case alias: SubqueryAlias              =>
      asOf(alias.child).map { case (table, child) => table -> alias.copy(child = child) }
    case _ => None
  }
}
