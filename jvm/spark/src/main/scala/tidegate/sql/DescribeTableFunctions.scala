package tidegate.sql

import org.apache.spark.sql.catalyst.analysis.UnresolvedFunctionName
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{DescribeFunction, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.util.StringUtils
import org.apache.spark.sql.execution.command.{
  DescribeFunctionCommand,
  LeafRunnableCommand,
  ShowFunctionsCommand
}
import org.apache.spark.sql.{Row, SparkSession}

/**
 * Lets `DESCRIBE FUNCTION` and `SHOW FUNCTIONS` know the table functions. They are not in Spark's
 * registry, where they would take the place of functions of the same name in a catalog.
 */
private[tidegate] final case class DescribeTableFunctions(isFunction: Seq[String] => Boolean)
    extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case DescribeFunction(function: UnresolvedFunctionName, isExtended) =>
      val info = function.multipartIdentifier match {
        case parts @ Seq(name) if !isFunction(parts) => FunctionInfos.tableFunction(name)
        case _                                       => None
      }
      info.fold(plan)(DescribeFunctionCommand(_, isExtended))
    // For Spark, functions of extensions are those of a user.
    case shown: ShowFunctionsCommand if shown.showUserFunctions => ShowAllFunctions(shown)
    case _                                                      => plan
  }
}

/** `SHOW FUNCTIONS` with the table functions of Tidegate. */
private final case class ShowAllFunctions(shown: ShowFunctionsCommand) extends LeafRunnableCommand {
  override val output: Seq[Attribute] = shown.output

  override def run(session: SparkSession): Seq[Row] = {
    val ours = FunctionInfos.tableFunctions.map(_.getName)
    val names = shown.run(session).map(_.getString(0)) ++
      StringUtils.filterPattern(ours, shown.pattern.getOrElse("*"))
    names.distinct.sorted.map(Row(_))
  }
}
