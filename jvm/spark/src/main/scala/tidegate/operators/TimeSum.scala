package tidegate.operators

import org.apache.spark.sql.catalyst.expressions.{ExprId, Expression}

/**
 * A sum of time columns and constants.
 *
 * @param columns
 *   how often each is added
 * @param micros
 *   the constants, in µs
 * @param slackMicros
 *   by how much the effect of the constants may differ from `micros`: a day of local time may be
 *   longer or shorter than 24 hours
 */
private[tidegate] final case class TimeSum(
    columns: Map[ExprId, Int],
    micros: Long,
    slackMicros: Long
) {

  def plus(other: TimeSum): TimeSum = TimeSum(
    (columns.keySet ++ other.columns.keySet)
      .map(c => c -> (columns.getOrElse(c, 0) + other.columns.getOrElse(c, 0)))
      .filter(_._2 != 0)
      .toMap,
    Math.addExact(micros, other.micros),
    slackMicros + other.slackMicros
  )

  def minus(other: TimeSum): TimeSum = plus(
    TimeSum(
      other.columns.map { case (c, n) => c -> -n },
      Math.negateExact(other.micros),
      other.slackMicros
    )
  )
}

private[tidegate] object TimeSum {
  private[operators] val Zero: TimeSum = TimeSum(Map.empty, 0L, 0L)

  /** A column alone. */
  def of(column: ExprId): TimeSum = Zero.copy(columns = Map(column -> 1))

  /**
   * `None` if the expression is no such sum.
   *
   * @param part
   *   the sum that an expression stands for by itself, such as the end of a window
   */
  def of(e: Expression, part: Expression => Option[TimeSum]): Option[TimeSum] =
    try new TimeSumReader(part).read(e)
    catch { case _: ArithmeticException => None }
}
