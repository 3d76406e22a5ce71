package tidegate.sql.parser

import org.apache.spark.sql.catalyst.parser.SqlBaseParser._

/** `5 seconds`, as an argument of a call or of a policy in it: puts `INTERVAL` before it. */
private[parser] object BareIntervals extends Mend {
  private val units = Set(
    NANOSECOND,
    NANOSECONDS,
    MICROSECOND,
    MICROSECONDS,
    MILLISECOND,
    MILLISECONDS,
    SECOND,
    SECONDS,
    MINUTE,
    MINUTES,
    HOUR,
    HOURS,
    DAY,
    DAYS,
    WEEK,
    WEEKS,
    MONTH,
    MONTHS,
    YEAR,
    YEARS
  )

  override def edits(tokens: SqlTokens, call: CallSpan): Seq[Edit] =
    for {
      argument <- call.arguments.map(_.value)
      if !TableArguments.isTable(tokens, argument)
      i <- argument
      if i == argument.start || tokens.is(i - 1, LEFT_PAREN, COMMA, FAT_ARROW)
      if isInterval(tokens, i)
    } yield Before(i, Word.Interval)

  private def isInterval(tokens: SqlTokens, start: Int) = {
    val number = if (tokens.is(start, PLUS, MINUS)) start + 1 else start
    val unit = tokens.kind(number) match {
      case INTEGER_VALUE | DECIMAL_VALUE | QUESTION => number + 1
      case COLON                                    => number + 2
      case _                                        =>
        Iterator.from(number).dropWhile(tokens.is(_, STRING_LITERAL, DOUBLEQUOTED_STRING)).next()
    }
    unit > number && units(tokens.kind(unit))
  }
}
