package tidegate.sql.parser

import org.apache.spark.sql.catalyst.parser.SqlBaseParser._

/**
 * Rewrites a table argument to `TABLE(<name or query>)`:
 *   - `TABLE t` and `t PARTITION BY k` lack brackets or the word;
 *   - `TABLE(STREAM t)`, `TABLE(hop(...))` and `hop(...)` are tables, but neither names nor
 *     queries.
 *
 * Spark parses a bare `t` and `(select ...)` as expressions; `EventTimeCall` accepts these as
 * tables.
 */
private[parser] object TableArguments extends Rewrite {

  override def edits(tokens: SqlTokens, call: CallSpan): Seq[Edit] =
    call.arguments.flatMap(a => ofTable(tokens, a.value))

  /** Whether an argument is a table by its first word. */
  def isTable(tokens: SqlTokens, argument: Range): Boolean =
    isTableWord(tokens, argument) || tokens.is(argument.start, LEFT_PAREN) ||
      isRelation(tokens, argument)

  /** What names the table of an argument: without the word, brackets and clauses around it. */
  def table(tokens: SqlTokens, argument: Range): Range = {
    val clauses = TableClause.in(tokens, argument)
    val table = argument.start until clauses.headOption.fold(argument.end)(_.start)
    val content = if (isTableWord(tokens, table)) table.drop(1) else table
    if (tokens.inBrackets(content)) content.drop(1).dropRight(1) else content
  }

  private def ofTable(tokens: SqlTokens, argument: Range): Seq[Edit] = {
    val clauses = TableClause.in(tokens, argument)
    val table = argument.start until clauses.headOption.fold(argument.end)(_.start)
    val hasWord = isTableWord(tokens, table)
    val content = if (hasWord) table.drop(1) else table
    val hasBrackets = tokens.inBrackets(content)
    val inside = if (hasBrackets) content.drop(1).dropRight(1) else content
    val isRelation = this.isRelation(tokens, inside)

    if (content.isEmpty || !(hasWord || isRelation || clauses.nonEmpty)) Nil
    else {
      val before = Seq(
        Option.when(!hasWord)(Before(content.start, Word.Table)),
        Option.when(!hasBrackets)(Before(content.start, Word.Open)),
        Option.when(isRelation)(Before(inside.start, Word.From))
      )
      before.flatten ++ Option.when(!hasBrackets)(After(content.last, Word.Close))
    }
  }

  // A table may have the name `table`.
  private def isTableWord(tokens: SqlTokens, table: Range) =
    tokens.is(table.start, TABLE) && table.size > 1 && !tokens.is(table.start + 1, DOT)

  private def isRelation(tokens: SqlTokens, table: Range) =
    isStream(tokens, table) || tokens.startsCall(table.start)

  private def isStream(tokens: SqlTokens, table: Range) =
    tokens.isStream(table.start) && table.size > 1 && !tokens.is(table.start + 1, DOT)
}
