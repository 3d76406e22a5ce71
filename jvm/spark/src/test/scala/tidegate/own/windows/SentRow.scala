package tidegate
package own.windows

import java.sql.Timestamp
import java.time.Instant
import java.time.temporal.ChronoUnit

import org.apache.spark.sql.{DataFrame, Row}

/**
 * A row for tests of sliding windows. What is aggregated is derived from its number, which may be
 * missing, and from its id, which no other row has.
 *
 * @param sub
 *   its substream
 * @param micros
 *   its time in µs since the epoch
 * @param k
 *   a key
 */
final case class SentRow(
    id: Int,
    sub: String,
    micros: Option[Long],
    k: Option[String],
    n: Option[Int]
) {

  /** With the columns of `SentRow.schema`. */
  def row: Row = Row(
    id,
    sub,
    micros.map(m => Timestamp.from(Instant.EPOCH.plus(m, ChronoUnit.MICROS))).orNull,
    k.orNull,
    n.map(Int.box).orNull
  )

  /** The column `s`. */
  def s: String = ('a' + id * 7 % 26).toChar.toString * (1 + id % 3)

  /** The column `z`: a key whose values are equal though they are not the same. */
  def z: Double = Seq(0.0, 0.0, Double.NaN, 1.0)(id % 4)
}

object SentRow {
  val schema: String = "id INT, sub STRING, time TIMESTAMP, k STRING, n INT"

  /**
   * With the columns that are derived: `l` is a long, `x` a double, `y` one that is also infinite
   * or no number, `d` a decimal, `s` a string, `z` a key of doubles.
   */
  def derived(rows: DataFrame): DataFrame = rows.selectExpr(
    "*",
    "n * 10000000000L AS l",
    "IF(n IS NULL, NULL, round(sin(id) * 10, 3) + n) AS x",
    """CASE id % 23 WHEN 3 THEN double('NaN') WHEN 5 THEN double('Infinity')
      |WHEN 7 THEN double('-Infinity') ELSE id / 8.0D END AS y""".stripMargin,
    "CAST(n * 1.37BD AS DECIMAL(14, 4)) AS d",
    "repeat(chr(97 + id * 7 % 26), 1 + id % 3) AS s",
    "CASE id % 4 WHEN 0 THEN 0D WHEN 1 THEN -0.0D WHEN 2 THEN double('NaN') ELSE 1D END AS z"
  )
}
