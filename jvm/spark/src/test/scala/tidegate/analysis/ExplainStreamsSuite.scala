package tidegate.analysis

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, OneRowRelation}
import org.apache.spark.sql.execution.SimpleMode
import org.apache.spark.sql.execution.command.ExplainCommand
import org.scalatest.funsuite.AnyFunSuite
import tidegate.errors.Conditions

class ExplainStreamsSuite extends AnyFunSuite {
  private val statement = ExplainCommand(OneRowRelation(), SimpleMode)

  private def explain(analyze: LogicalPlan => LogicalPlan): LogicalPlan =
    ExplainStreams(analyze)(statement)

  test("a statement that is refused is explained by Spark, which refuses it too") {
    Conditions.register()
    val refused = new AnalysisException("TIDEGATE_REAL_TIME_MODE", Map.empty[String, String])
    assert(explain(_ => throw refused) === statement)
  }

  test("a bug in the analysis is told") {
    val bug = intercept[IllegalStateException](explain(_ => throw new IllegalStateException("bug")))
    assert(bug.getMessage === "bug")
  }
}
