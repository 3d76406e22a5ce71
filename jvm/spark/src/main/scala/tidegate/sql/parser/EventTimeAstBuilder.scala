package tidegate.sql.parser

import org.apache.spark.sql.catalyst.analysis.{
  NamedStreamingRelation,
  UnresolvedTableValuedFunction
}
import org.apache.spark.sql.catalyst.parser.ParserUtils.withOrigin
import org.apache.spark.sql.catalyst.parser.SqlBaseParser._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkSqlAstBuilder
import tidegate.sql.EventTimeCall

/**
 * Makes an `EventTimeCall` of each call of a table function of ours, as soon as it is built: in a
 * finished plan they would be out of reach, in commands, in common table expressions and behind
 * `IDENTIFIER`.
 */
private[parser] class EventTimeAstBuilder extends SparkSqlAstBuilder {

  override def visitTableValuedFunction(ctx: TableValuedFunctionContext): LogicalPlan = {
    val call = ctx.tableFunctionCallWithTrailingClauses.tableFunctionCall
    super.visitTableValuedFunction(ctx).transformUp { case f: UnresolvedTableValuedFunction =>
      claim(f, call, isStream = false)
    }
  }

  override def visitStreamTableValuedFunction(
      ctx: StreamTableValuedFunctionContext
  ): LogicalPlan = {
    val call = Option(ctx.tableFunctionCall)
      .getOrElse(ctx.tableFunctionCallWithTrailingClauses.tableFunctionCall)
    super.visitStreamTableValuedFunction(ctx).transformUp {
      case f: UnresolvedTableValuedFunction            => claim(f, call, isStream = true)
      case NamedStreamingRelation(c: EventTimeCall, _) => c
    }
  }

  // Spark's own node begins and ends with its alias.
  private def claim(
      function: UnresolvedTableValuedFunction,
      call: TableFunctionCallContext,
      isStream: Boolean
  ): LogicalPlan =
    EventTimeCall.claim(withOrigin(call)(function.copy()), isStream).getOrElse(function)
}
