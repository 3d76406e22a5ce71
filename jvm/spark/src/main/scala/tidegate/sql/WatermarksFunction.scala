package tidegate.sql

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import tidegate.clock.WatermarkRows
import tidegate.plans.WatermarksTable

/**
 * The table function `tidegate_watermarks([query])`, as an extension registers it. It takes no
 * table and no `DESCRIPTOR`, so Spark itself finds and resolves its calls.
 */
private[tidegate] object WatermarksFunction {
  type Registered = (FunctionIdentifier, ExpressionInfo, Seq[Expression] => LogicalPlan)

  val Name = "tidegate_watermarks"
  private val Argument = "query"
  private val arguments = new QueryArguments(Name, Seq(Argument))

  val registered: Registered = (
    FunctionIdentifier(Name),
    FunctionInfos.registeredTableFunction(
      Name,
      classOf[WatermarksTable],
      "_FUNC_([query]) - The watermarks of a streaming query, by its name or id, or of all queries " +
        "of the session that run: a row for each substream and each stateful operator.",
      s"$Argument - the name of a query, its id, or the id of one of its runs",
      s"SELECT name, kind, late_rows FROM $Name('hourly')",
      "orders\twatermark\tNULL",
      "aggregate\toperator\t0"
    ),
    given => {
      val query = arguments.read(given).get(Argument).map(arguments.text(Argument, _))
      WatermarksTable(query, DataTypeUtils.toAttributes(WatermarkRows.Schema))
    }
  )
}
