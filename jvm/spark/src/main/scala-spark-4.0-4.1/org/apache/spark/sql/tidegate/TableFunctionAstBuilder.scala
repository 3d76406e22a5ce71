package org.apache.spark.sql.tidegate

import org.antlr.v4.runtime.ParserRuleContext
import org.apache.spark.sql.catalyst.analysis.UnresolvedTableValuedFunction
import org.apache.spark.sql.catalyst.parser.ParserUtils.withOrigin
import org.apache.spark.sql.catalyst.parser.SqlBaseParser.{
  FunctionTableContext,
  TableValuedFunctionContext
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkSqlAstBuilder

/** Spark's AST builder, with a hook that may replace calls of table functions. */
abstract class TableFunctionAstBuilder extends SparkSqlAstBuilder {

  /**
   * The plan that replaces a call, if the call is claimed.
   *
   * @param call
   *   its origin is the call itself, without the alias that Spark includes
   * @param isStream
   *   whether the call follows `STREAM`
   */
  protected def claim(
      call: UnresolvedTableValuedFunction,
      isStream: Boolean
  ): Option[LogicalPlan]

  override def visitTableValuedFunction(ctx: TableValuedFunctionContext): LogicalPlan = {
    val call = withoutAlias(ctx.functionTable)
    super.visitTableValuedFunction(ctx).transformUp { case f: UnresolvedTableValuedFunction =>
      claim(withOrigin(call)(f.copy()), isStream = false).getOrElse(f)
    }
  }

  private def withoutAlias(call: FunctionTableContext): ParserRuleContext = {
    val own = new ParserRuleContext
    own.start = call.start
    own.stop = call.RIGHT_PAREN.getSymbol
    own
  }
}
