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

/** Spark's AST builder, in which calls of table functions can be claimed. */
abstract class TableFunctionAstBuilder extends SparkSqlAstBuilder {

  /**
   * What stands in the plan in place of a call, if it is claimed.
   *
   * @param call
   *   begins and ends with the call; Spark's own node, with its alias
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
      // Spark gives the source of a call a name: a call that was claimed is no source.
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
