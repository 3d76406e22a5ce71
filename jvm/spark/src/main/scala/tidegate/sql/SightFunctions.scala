package tidegate.sql

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import tidegate.clock.{ExplanationRows, ProgressRows}
import tidegate.plans.SightTable
import tidegate.sql.WatermarksFunction.Registered

/**
 * The table functions `tidegate_progress([query [, last]])` and `tidegate_explain_time([query])`,
 * as an extension registers them.
 */
private[tidegate] object SightFunctions {

  private val Query = "query"
  private val Last = "last"
  private val meaning = s"$Query - the name of a query, its id, or the id of one of its runs"

  val ProgressName = "tidegate_progress"
  val ExplainName = "tidegate_explain_time"

  val names: Seq[String] = Seq(ProgressName, ExplainName)

  private val ofProgress = new QueryArguments(ProgressName, Seq(Query, Last))
  private val ofExplain = new QueryArguments(ExplainName, Seq(Query))

  val progress: Registered = (
    FunctionIdentifier(ProgressName),
    FunctionInfos.registeredTableFunction(
      ProgressName,
      classOf[SightTable],
      s"_FUNC_([$Query [, $Last]]) - What the last batches of a streaming query did to time, by " +
        "its name or id, or of all queries of the session that run: for each batch, a row for " +
        "each watermark and each stateful operator.",
      s"$meaning\n      * $Last - of so many batches at most",
      s"SELECT name, kind, late_rows FROM $ProgressName('hourly', 1)",
      "orders\twatermark\tNULL",
      "aggregate\toperator\t0"
    ),
    given => {
      val read = ofProgress.read(given)
      val last = read.get(Last).fold(Int.MaxValue)(ofProgress.number(Last, _))
      val query = read.get(Query).map(ofProgress.text(Query, _))
      val output = DataTypeUtils.toAttributes(ProgressRows.Schema)
      SightTable(SightTable.Progress(last), query, output)
    }
  )

  val explainTime: Registered = (
    FunctionIdentifier(ExplainName),
    FunctionInfos.registeredTableFunction(
      ExplainName,
      classOf[SightTable],
      s"_FUNC_([$Query]) - How far the time of a streaming query is, what holds what back, since " +
        "when, and what would help: a row for each line.",
      meaning,
      s"SELECT count(*) > 0 AS found FROM $ExplainName('hourly')",
      "true"
    ),
    given => {
      val query = ofExplain.read(given).get(Query).map(ofExplain.text(Query, _))
      SightTable(
        SightTable.Explanation,
        query,
        DataTypeUtils.toAttributes(ExplanationRows.Schema)
      )
    }
  )

  val all: Seq[Registered] = Seq(progress, explainTime)
}
