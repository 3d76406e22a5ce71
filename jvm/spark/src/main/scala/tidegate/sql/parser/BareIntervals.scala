package tidegate.sql.parser

import org.apache.spark.sql.catalyst.parser.SqlBaseParser._
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}
import tidegate.errors.CallErrors

/**
 * Puts `INTERVAL` before a bare `5 seconds` that is an argument of a call, or of a policy in a
 * call.
 */
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
    } yield {
      if (tokens.is(i, QUESTION, COLON)) refuse(tokens, i)
      Before(i, Word.Interval)
    }

  /** Spark would accept parameters of some types there, and report a syntax error for others. */
  private def refuse(tokens: SqlTokens, i: Int): Unit = {
    val (marker, unit) = (tokens.all(i), tokens.all(unitAfter(tokens, i)))
    val origin = Origin(
      line = Some(marker.getLine),
      startPosition = Some(marker.getCharPositionInLine),
      startIndex = Some(marker.getStartIndex),
      stopIndex = Some(unit.getStopIndex),
      sqlText = Some(tokens.text)
    )
    CurrentOrigin.withOrigin(origin) {
      throw CallErrors.intervalParameter(
        tokens.text.substring(
          tokens.text.offsetByCodePoints(0, marker.getStartIndex),
          tokens.text.offsetByCodePoints(0, unit.getStopIndex + 1)
        )
      )
    }
  }

  private def isInterval(tokens: SqlTokens, start: Int) = {
    val number = if (tokens.is(start, PLUS, MINUS)) start + 1 else start
    val unit = unitAfter(tokens, number)
    unit > number && units(tokens.kind(unit))
  }

  /** The position where the unit of a number must be; `number` itself if there is no number. */
  private def unitAfter(tokens: SqlTokens, number: Int): Int = tokens.kind(number) match {
    case INTEGER_VALUE | DECIMAL_VALUE | QUESTION => number + 1
    case COLON                                    => number + 2
    case _                                        =>
      Iterator.from(number).dropWhile(tokens.is(_, STRING_LITERAL, DOUBLEQUOTED_STRING)).next()
  }
}
