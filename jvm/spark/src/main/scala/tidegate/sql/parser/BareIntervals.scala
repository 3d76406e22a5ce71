package tidegate.sql.parser

import org.apache.spark.sql.catalyst.parser.SqlBaseParser._
import tidegate.errors.CallErrors
import tidegate.request.Durations

/**
 * Puts `INTERVAL` before a bare `5 seconds` that is an argument of a call, or of a policy in a
 * call.
 */
private[parser] object BareIntervals extends Rewrite {
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
      argument <- call.arguments
      if !TableArguments.isTable(tokens, argument.value)
      i <- argument.value
      if i == argument.value.start || tokens.is(i - 1, LEFT_PAREN, COMMA, FAT_ARROW)
      _ = refuseMisspelt(tokens, call, argument, i)
      if isInterval(tokens, i)
    } yield {
      if (tokens.is(i, QUESTION, COLON)) refuseParameter(tokens, i)
      Before(i, Word.Interval)
    }

  /** Spark would accept parameters of some types there, and report a syntax error for others. */
  private def refuseParameter(tokens: SqlTokens, i: Int): Unit = {
    val interval = i to unitAfter(tokens, i)
    throw tokens.errorAt(interval)(CallErrors.intervalParameter(tokens.text(interval)))
  }

  /** `5 min`, `INTERVAL 5 min` or `INTERVAL '5min'`: Spark says only that this is no interval. */
  private def refuseMisspelt(
      tokens: SqlTokens,
      call: CallSpan,
      argument: ArgumentSpan,
      start: Int
  ): Unit = {
    val number = if (tokens.is(start, INTERVAL)) start + 1 else start
    val written =
      if (number > start && tokens.is(number, STRING_LITERAL, DOUBLEQUOTED_STRING))
        Option.when(tokens.is(number + 1, COMMA, RIGHT_PAREN))(number to number)
      else {
        val parts = argument.value.dropWhile(_ < number).takeWhile { i =>
          tokens.is(i, INTEGER_VALUE, DECIMAL_VALUE, IDENTIFIER) || units(tokens.kind(i))
        }
        Option.when(tokens.is(number, INTEGER_VALUE, DECIMAL_VALUE) && parts.size > 1)(
          parts.head to parts.last
        )
      }
    written.map(tokens.text).map(withoutQuotes).filter(Durations.isMisspelt).foreach { text =>
      throw tokens.errorAt(start to written.get.last) {
        Durations.invalid(call.parameterName(tokens, argument), text)
      }
    }
  }

  private def withoutQuotes(text: String): String =
    if (text.head == '\'' || text.head == '"') text.drop(1).dropRight(1) else text

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
