package tidegate.sql

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.util.StringUtils
import org.apache.spark.sql.execution.command.{LeafRunnableCommand, ShowFunctionsCommand}
import org.apache.spark.sql.{Row, SparkSession}

/** `SHOW FUNCTIONS` with the table functions of Tidegate. */
private[sql] final case class ShowAllFunctions(shown: ShowFunctionsCommand)
    extends LeafRunnableCommand {
  override val output: Seq[Attribute] = shown.output

  override def run(session: SparkSession): Seq[Row] = {
    val ours = FunctionInfos.tableFunctions.map(_.getName)
    val names = shown.run(session).map(_.getString(0)) ++
      StringUtils.filterPattern(ours, shown.pattern.getOrElse("*"))
    names.distinct.sorted.map(Row(_))
  }
}
