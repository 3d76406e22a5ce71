package tidegate.sql.parser

import org.apache.spark.sql.catalyst.parser.SqlBaseParser._

/**
 * `PARTITION BY`, `ORDER BY` or `WITH SINGLE PARTITION` after a table argument.
 *
 * @param start
 *   the position of its first word
 * @param items
 *   the keys
 */
private[parser] final case class TableClause(start: Int, items: Range)

private[parser] object TableClause {

  /** The clauses of an argument in their order. */
  def in(tokens: SqlTokens, argument: Range): Seq[TableClause] = {
    val starts = tokens.topLevel(argument).filter { i =>
      tokens.kind(i) match {
        case PARTITION | DISTRIBUTE | ORDER | SORT => tokens.is(i + 1, BY)
        case WITH                                  => tokens.is(i + 1, SINGLE)
        case _                                     => false
      }
    }
    starts.zip(starts.drop(1) :+ argument.end).map { case (start, end) =>
      TableClause(start, if (tokens.is(start, WITH)) end until end else start + 2 until end)
    }
  }
}
