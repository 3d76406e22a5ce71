package tidegate.analysis

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.tidegate.SessionTables
import tidegate.plans.LateTables

/**
 * Lets a statement that reads a table of late rows see the files that are there now. A query adds
 * files in each batch, without a word to the sessions that have read the table before.
 */
object RefreshLateTables extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = {
    SessionTables.refresh(plan)(LateTables.is)
    plan
  }
}
