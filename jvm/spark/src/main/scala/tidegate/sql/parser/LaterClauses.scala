package tidegate.sql.parser

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.parser.SqlBaseParser.{
  COMMA,
  DOT,
  FROM,
  HENT_START,
  JOIN,
  LEFT_PAREN
}
import tidegate.errors.{JoinErrors, LaterSparkErrors}

/**
 * Clauses that only later versions of Spark have, or Flink, in a statement that Spark has refused:
 * Spark takes their first word for a name, and points at a word behind.
 */
private[parser] object LaterClauses {

  /** What is to be said instead of Spark's error. */
  def in(tokens: SqlTokens, refusal: ParseException): Option[AnalysisException] =
    watermark(tokens).orElse(stream(tokens, refusal)).orElse(timeToLive(tokens))

  /** `WATERMARK <time> DELAY OF <interval>`. Where Spark has the clause, its words are keywords. */
  private def watermark(tokens: SqlTokens): Option[AnalysisException] =
    for {
      delay <- tokens.all.indices.find(i => tokens.isName(i, "delay") && tokens.name(i + 1) == "of")
      start <- (0 until delay).findLast(tokens.isName(_, "watermark"))
    } yield tokens.errorAt(start to delay + 1)(LaterSparkErrors.watermarkClause())

  /** `STREAM a.t` where a table may be. A table may have the name; then Spark reads on. */
  private def stream(tokens: SqlTokens, refusal: ParseException): Option[AnalysisException] =
    tokens.all.indices
      .find { i =>
        TokenList.isStreamLater && tokens.isStream(i) && tokens.isName(i + 1) &&
        tokens.is(i + 2, DOT) && tokens.is(i - 1, FROM, JOIN, COMMA, LEFT_PAREN) &&
        isAt(tokens, i + 2, refusal)
      }
      .map(i => tokens.errorAt(i to i + 1)(LaterSparkErrors.stream()))

  /** Flink's `/*+ STATE_TTL('a' = '1d') */`: hints of Spark have no `=`. */
  private def timeToLive(tokens: SqlTokens): Option[AnalysisException] =
    tokens.all.indices
      .find(i => tokens.is(i, HENT_START) && tokens.isName(i + 1, "state_ttl"))
      .map(i => tokens.errorAt(i + 1 to i + 1)(JoinErrors.timeToLiveHint()))

  private def isAt(tokens: SqlTokens, i: Int, refusal: ParseException) =
    refusal.line.contains(tokens.all(i).getLine) &&
      refusal.startPosition.contains(tokens.all(i).getCharPositionInLine)
}
