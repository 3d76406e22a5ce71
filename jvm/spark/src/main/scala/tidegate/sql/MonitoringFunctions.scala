package tidegate.sql

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import tidegate.execution.FigureRows
import tidegate.plans.WatermarksTable
import tidegate.plans.WatermarksTable.{Content, Explanation, Progress, Watermarks}

/**
 * The table functions `tidegate_watermarks([query])`, `tidegate_progress([query [, last]])` and
 * `tidegate_explain_time([query])`, as an extension registers them. They take no table and no
 * `DESCRIPTOR`, so Spark itself finds and resolves their calls.
 */
private[tidegate] object MonitoringFunctions {
  type Registered = (FunctionIdentifier, ExpressionInfo, Seq[Expression] => LogicalPlan)

  private val Query = "query"
  private val Last = "last"
  private val meaning = s"$Query - the name of a query, its id, or the id of one of its runs"

  private val WatermarksName = "tidegate_watermarks"
  private val ProgressName = "tidegate_progress"
  private val ExplainName = "tidegate_explain_time"

  val names: Seq[String] = Seq(WatermarksName, ProgressName, ExplainName)

  private val watermarks = function(
    WatermarksName,
    "_FUNC_([query]) - The watermarks of a streaming query, by its name or id, or of all queries " +
      "of the session that run: a row for each substream and each stateful operator.",
    meaning,
    s"SELECT name, kind, late_rows FROM $WatermarksName('hourly')",
    "orders\twatermark\tNULL",
    "aggregate\toperator\t0"
  )(Nil)((_, _) => Watermarks)

  private val progress = function(
    ProgressName,
    s"_FUNC_([$Query [, $Last]]) - What the last batches of a streaming query did to time, by " +
      "its name or id, or of all queries of the session that run: for each batch, a row for " +
      "each watermark and each stateful operator.",
    s"$meaning\n      * $Last - of so many batches at most",
    s"SELECT name, kind, late_rows FROM $ProgressName('hourly', 1)",
    "orders\twatermark\tNULL",
    "aggregate\toperator\t0"
  )(Seq(Last)) { (arguments, read) =>
    Progress(read.get(Last).fold(Int.MaxValue)(arguments.number(Last, _)))
  }

  private val explainTime = function(
    ExplainName,
    s"_FUNC_([$Query]) - How far the time of a streaming query is, what holds what back, since " +
      "when, and what would help: a row for each line.",
    meaning,
    s"SELECT count(*) > 0 AS found FROM $ExplainName('hourly')",
    "true"
  )(Nil)((_, _) => Explanation)

  val all: Seq[Registered] = Seq(watermarks, progress, explainTime)

  /** @param others the names of its arguments behind the query */
  private def function(
      name: String,
      usage: String,
      argumentsText: String,
      example: String,
      results: String*
  )(others: Seq[String])(
      content: (QueryArguments, Map[String, Expression]) => Content
  ): Registered = {
    val arguments = new QueryArguments(name, Query +: others)
    val info = FunctionInfos.registeredTableFunction(
      name,
      classOf[WatermarksTable],
      usage,
      argumentsText,
      example,
      results: _*
    )
    (
      FunctionIdentifier(name),
      info,
      given => {
        val read = arguments.read(given)
        val query = read.get(Query).map(arguments.text(Query, _))
        val asked = content(arguments, read)
        WatermarksTable(asked, query, DataTypeUtils.toAttributes(FigureRows.schema(asked)))
      }
    )
  }
}
