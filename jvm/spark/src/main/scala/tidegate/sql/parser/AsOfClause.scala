package tidegate.sql.parser

import org.apache.spark.sql.catalyst.analysis.{
  RelationTimeTravel,
  UnresolvedAttribute,
  UnresolvedFunction
}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.ParserUtils.withOrigin
import org.apache.spark.sql.catalyst.parser.SqlBaseParser.{
  AS,
  DOT,
  LEFT_PAREN,
  OF,
  SYSTEM_TIME,
  TemporalClauseContext
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import tidegate.plans.AsOfTable

/**
 * `FOR SYSTEM_TIME AS OF` a column, or of `PROCTIME()`. With any other time the words stay Spark's,
 * for which they mean a table as it was at one time.
 */
private[parser] object AsOfClause {

  /** Without this word a statement has no such clause. */
  val Word = "system_time"

  private val Now = "proctime"

  /** Whether a statement has such a clause, as far as its words tell. */
  def isIn(tokens: TokenList): Boolean = tokens.all.indices.exists { i =>
    tokens.is(i, SYSTEM_TIME) && tokens.is(i + 1, AS) && tokens.is(i + 2, OF) &&
    isTime(tokens, i + 3)
  }

  private def isTime(tokens: TokenList, start: Int): Boolean = {
    val last = Iterator.iterate(start)(_ + 2).dropWhile(i => tokens.is(i + 1, DOT)).next()
    if (tokens.is(last + 1, LEFT_PAREN)) tokens.name(last) == Now
    else last > start || tokens.isName(start)
  }

  /** The table in the place of a time travel of Spark's; none if the clause is Spark's. */
  def claim(travel: RelationTimeTravel, clause: TemporalClauseContext): Option[LogicalPlan] =
    travel.timestamp.filter(_ => clause.SYSTEM_TIME != null).flatMap(time).map { of =>
      withOrigin(clause)(AsOfTable(of, travel.relation))
    }

  private def time(written: Expression): Option[Option[Seq[String]]] = written match {
    case UnresolvedAttribute(parts)                              => Some(Some(parts))
    case f: UnresolvedFunction if isNow(f) && f.arguments.isEmpty => Some(None)
    case _                                                       => None
  }

  private def isNow(f: UnresolvedFunction): Boolean =
    f.nameParts.size == 1 && f.nameParts.head.equalsIgnoreCase(Now)
}
