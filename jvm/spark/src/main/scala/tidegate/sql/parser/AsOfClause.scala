package tidegate.sql.parser

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedFunction}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.ParserUtils.withOrigin
import org.apache.spark.sql.catalyst.parser.SqlBaseParser.{
  AS,
  DOT,
  DOUBLEQUOTED_STRING,
  LEFT_PAREN,
  OF,
  STRING_LITERAL,
  SYSTEM_TIME,
  TableNameContext,
  TemporalClauseContext,
  ValueExpressionContext
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.toPrettySQL
import tidegate.errors.AsOfErrors
import tidegate.plans.AsOfTable

/**
 * A clause `FOR SYSTEM_TIME AS OF` that is ours.
 *
 * @param time
 *   the parts of the name of the column; none for `PROCTIME()`
 */
private[parser] final class AsOfClause(written: TemporalClauseContext, time: Option[Seq[String]]) {

  /**
   * The table with the clause.
   *
   * @param plan
   *   makes the plan of the table without the clause, which Spark would refuse
   */
  def on(table: TableNameContext)(plan: => LogicalPlan): LogicalPlan = {
    val place = table.children.indexOf(written)
    table.children.remove(place)
    val made =
      try plan
      finally table.children.add(place, written)
    made.transformUp {
      case relation if relation.children.isEmpty => withOrigin(written)(AsOfTable(time, relation))
    }
  }
}

/**
 * `FOR SYSTEM_TIME AS OF` a column, or of `PROCTIME()`. With any other time the words stay Spark's,
 * for which they mean a table as it was at one time.
 */
private[parser] object AsOfClause {

  /** Without this word a statement has no such clause. */
  val Word = "system_time"

  private val Now = "proctime"

  private val OfSpark = Set(
    "current_catalog",
    "current_database",
    "current_date",
    "current_schema",
    "current_time",
    "current_timestamp",
    "current_timezone",
    "current_user",
    "localtimestamp",
    "now",
    "session_user",
    "user"
  )

  /** Whether a statement has such a clause, as far as its words tell. */
  def isIn(tokens: TokenList): Boolean = tokens.all.indices.exists { i =>
    tokens.is(i, SYSTEM_TIME) && tokens.is(i + 1, AS) && tokens.is(i + 2, OF) &&
    isTime(tokens, i + 3)
  }

  private def isTime(tokens: TokenList, start: Int): Boolean = {
    val last = Iterator.iterate(start)(_ + 2).dropWhile(i => tokens.is(i + 1, DOT)).next()
    if (tokens.is(last + 1, LEFT_PAREN)) tokens.name(last) == Now
    else
      last > start || tokens.isName(start) ||
      // A keyword that may be a name, but neither a literal nor the end of the statement.
      start < tokens.all.size - 1 && tokens.isWord(start) &&
      !tokens.is(start + 1, STRING_LITERAL, DOUBLEQUOTED_STRING)
  }

  /**
   * The clause behind a table; none if there is none, or if the clause is Spark's.
   *
   * @param read
   *   makes an expression of what Spark's grammar has found
   */
  def in(
      table: TableNameContext,
      read: ValueExpressionContext => Expression
  ): Option[AsOfClause] =
    for {
      written <- Option(table.temporalClause)
      if written.SYSTEM_TIME != null
      of <- timeIn(read(written.timestamp))
    } yield new AsOfClause(written, of)

  private def timeIn(written: Expression): Option[Option[Seq[String]]] = written match {
    case UnresolvedAttribute(Seq(name)) if isOfSpark(name)        => None
    case UnresolvedAttribute(parts)                               => Some(Some(parts))
    case f: UnresolvedFunction if isNow(f) && f.arguments.isEmpty => Some(None)
    case computed if computed.exists(isColumn)                    =>
      throw AsOfErrors.computedTime(toPrettySQL(computed))
    case _ => None
  }

  private def isColumn(e: Expression): Boolean = e match {
    case UnresolvedAttribute(parts) => parts.size > 1 || !isOfSpark(parts.head)
    case _                          => false
  }

  /** Spark reads some functions without brackets as columns first. */
  private def isOfSpark(name: String): Boolean = OfSpark.contains(name.toLowerCase(Locale.ROOT))

  private def isNow(f: UnresolvedFunction): Boolean =
    f.nameParts.size == 1 && f.nameParts.head.equalsIgnoreCase(Now)
}
