package tidegate.sql.parser

import scala.util.Try

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.UnresolvedTableValuedFunction
import org.apache.spark.sql.catalyst.parser.SqlBaseParser.TableNameContext
import org.apache.spark.sql.catalyst.parser.{ParseException, SqlBaseParser}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkSqlAstBuilder
import org.apache.spark.sql.internal.VariableSubstitution
import org.apache.spark.sql.tidegate.TableFunctionAstBuilder
import tidegate.sql.EventTimeCall

/**
 * Spark's parser, extended to spellings of calls that Spark's grammar refuses: they are rewritten
 * before Spark parses them.
 *
 * @param isLenient
 *   whether to rewrite calls without a `DESCRIPTOR`, and calls whose names are misspelt. Such calls
 *   are refused later, in a sentence that says so
 */
private[parser] class EventTimeSqlParser(isLenient: Boolean = false) extends ParameterSqlParser {
  private val variables = new VariableSubstitution

  override val astBuilder: SparkSqlAstBuilder = new EventTimeAstBuilder

  /**
   * Whether a statement calls one of our table functions, or reads a table as of a column.
   */
  def hasCall(sqlText: String): Boolean = {
    val text = variables.substitute(sqlText)
    (isLenient || mentions(text, CallSpan.Descriptor)) && tokens(sqlText).calls.nonEmpty ||
    mentions(text, AsOfClause.Word) && AsOfClause.isIn(tokens(sqlText))
  }

  // Most statements have no call, and need not be split into tokens to find that out.
  private def mentions(sqlText: String, word: String): Boolean =
    sqlText.indices.exists(i => sqlText.regionMatches(true, i, word, 0, word.length))

  /**
   * An error with the position of the first of our calls in a statement, if there is one.
   *
   * @param counts
   *   whether a call of this name counts
   */
  def atFirstCall(sqlText: String, counts: String => Boolean = _ => true)(
      error: => AnalysisException
  ): Option[AnalysisException] =
    for {
      all <- Option.when(hasCall(sqlText))(tokens(sqlText))
      name <- all.calls.map(_.name).find(i => counts(all.name(i)))
    } yield all.errorAt(name to all.closing(name + 1))(error)

  /** The clause of a later Spark that made Spark refuse a statement, as an error. */
  def laterClause(sqlText: String, refusal: ParseException): Option[AnalysisException] =
    // A text that is not even split into tokens has no clauses.
    Try(tokens(sqlText)).toOption.flatMap(LaterClauses.in(_, refusal))

  protected override def parse[T](command: String)(toResult: SqlBaseParser => T): T =
    super.parse(command) { parser =>
      RewrittenTokens.replaceIn(parser, isLenient)
      toResult(parser)
    }

  override protected def tokens(sqlText: String): SqlTokens =
    super.parse(sqlText)(SqlTokens.of(_, isLenient))
}

/**
 * Turns each call of one of our table functions into an `EventTimeCall`, and each table as of a
 * column into an `AsOfTable`, as soon as Spark builds it: in a finished plan, calls in commands, in
 * common table expressions and behind `IDENTIFIER` would be out of reach.
 */
private[parser] class EventTimeAstBuilder extends TableFunctionAstBuilder {

  override protected def claim(
      call: UnresolvedTableValuedFunction,
      isStream: Boolean
  ): Option[LogicalPlan] = EventTimeCall.claim(call, isStream)

  override def visitTableName(ctx: TableNameContext): LogicalPlan =
    AsOfClause.in(ctx, expression(_)).fold(super.visitTableName(ctx)) { clause =>
      clause.on(ctx)(super.visitTableName(ctx))
    }
}
