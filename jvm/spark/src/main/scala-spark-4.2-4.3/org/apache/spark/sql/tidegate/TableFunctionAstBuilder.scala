package org.apache.spark.sql.tidegate

import org.antlr.v4.runtime.ParserRuleContext
import org.apache.spark.sql.catalyst.analysis.{
  NamedStreamingRelation,
  UnresolvedTableValuedFunction
}
import org.apache.spark.sql.catalyst.parser.ParserUtils.withOrigin
import org.apache.spark.sql.catalyst.parser.SqlBaseParser.{
  StreamTableValuedFunctionContext,
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
    val call = ctx.tableFunctionCallWithTrailingClauses.tableFunctionCall
    super.visitTableValuedFunction(ctx).transformUp { case f: UnresolvedTableValuedFunction =>
      claimed(f, call, isStream = false)
    }
  }

  override def visitStreamTableValuedFunction(
      ctx: StreamTableValuedFunctionContext
  ): LogicalPlan = {
    val call = Option(ctx.tableFunctionCall)
      .getOrElse(ctx.tableFunctionCallWithTrailingClauses.tableFunctionCall)
    super.visitStreamTableValuedFunction(ctx).transformUp {
      case f: UnresolvedTableValuedFunction => claimed(f, call, isStream = true)
      // Spark wraps a call as a named source, which a claimed call is not.
      case n: NamedStreamingRelation if !n.child.isInstanceOf[UnresolvedTableValuedFunction] =>
        n.child
    }
  }

  private def claimed(
      function: UnresolvedTableValuedFunction,
      call: ParserRuleContext,
      isStream: Boolean
  ): LogicalPlan =
    claim(withOrigin(call)(function.copy()), isStream).getOrElse(function)
}
