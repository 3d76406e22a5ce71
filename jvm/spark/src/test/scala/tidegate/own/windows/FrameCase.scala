package tidegate
package own.windows

import java.time.{Instant, ZoneId}

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, DataFrame}

/**
 * What rows are grouped by besides the window.
 *
 * @param model
 *   the same of a row, in the time zone of the session
 */
final case class KeyCase(sql: Seq[String], model: (SentRow, ZoneId) => Seq[Any]) {
  override def toString: String = sql.mkString("(", ", ", ")")
}

object KeyCase {
  private def one(sql: String)(model: SentRow => Any) =
    KeyCase(Seq(sql), (row, _) => Seq(model(row)))

  private def parity(row: SentRow): Any = row.n.map(Math.floorMod(_, 2)).orNull

  private def hour(row: SentRow, zone: ZoneId): Any =
    row.micros.map(m => Instant.EPOCH.plusNanos(m * 1000).atZone(zone).getHour).orNull

  val all: Seq[KeyCase] = Seq(
    KeyCase(Nil, (_, _) => Nil),
    one("k")(_.k.orNull),
    one("k")(_.k.orNull),
    one("struct(k, pmod(n, 2))")(r => org.apache.spark.sql.Row(r.k.orNull, parity(r))),
    one("array(id % 2, NULL)")(r => Seq[Any](r.id % 2, null)),
    one("z")(r => if (r.z == 0) 0.0 else r.z),
    one("CAST(n AS DECIMAL(30, 3))")(_.n.map(BigDecimal(_).setScale(3).bigDecimal).orNull),
    // A name in the plan of Spark's window.
    KeyCase(Seq("'end'", "k"), (r, _) => Seq("end", r.k.orNull)),
    KeyCase(Seq("k", "pmod(n, 2)"), (r, _) => Seq(r.k.orNull, parity(r))),
    KeyCase(Seq("hour(time)", "sub"), (r, zone) => Seq(hour(r, zone), r.sub))
  )
}

/** A condition on the rows or on the groups, and the same for the model. */
final case class ConditionCase[T](sql: String, model: T => Boolean) {
  override def toString: String = sql
}

/**
 * An aggregation of windows that slide, or grow.
 *
 * @param grows
 *   whether they grow: then always in SQL
 * @param inSql
 *   as text for SQL, with `HOP` or `CUMULATE`; else with the methods of DataFrames
 * @param where
 *   stands between the windows and the aggregation
 * @param having
 *   with aggregates that the model knows, `c` is the count of rows
 */
final case class FrameCase(
    sizeMs: Long,
    slideMs: Long,
    offsetMs: Long,
    key: KeyCase,
    aggregates: Seq[AggregateCase],
    where: Option[ConditionCase[SentRow]],
    having: Option[ConditionCase[Seq[SentRow]]],
    grows: Boolean,
    inSql: Boolean
) {

  def frame(input: DataFrame): DataFrame = if (inSql) text(input) else methods(input)

  private def keys = key.sql.zipWithIndex.map { case (sql, i) => s"$sql AS key$i" }

  private def values = aggregates.zipWithIndex.map { case (a, i) => s"${a.sql} AS a$i" }

  private def text(input: DataFrame): DataFrame = {
    input.createOrReplaceTempView("frame_rows")
    val (function, lengths) =
      if (grows) "CUMULATE" -> Seq(slideMs, sizeMs) else "HOP" -> Seq(sizeMs, slideMs)
    input.sparkSession.sql(s"""
      SELECT ${("window_start" +: "window_end" +: keys ++: values).mkString(", ")}
      FROM $function(TABLE(frame_rows), DESCRIPTOR(time),
                     ${lengths.map(_.toString + " milliseconds").mkString(", ")},
                     INTERVAL '$offsetMs' MILLISECONDS)
      ${where.fold("")("WHERE " + _.sql)}
      GROUP BY ${("window_start" +: "window_end" +: key.sql).mkString(", ")}
      ${having.fold("")("HAVING " + _.sql)}""")
  }

  private def methods(input: DataFrame): DataFrame = {
    def ms(n: Long) = s"$n milliseconds"
    val windows = window(col("time"), ms(sizeMs), ms(slideMs), ms(offsetMs))
    // A window in the grouping has no place behind it for a condition.
    val (rows, grouped) = where.fold(input -> windows.as("w")) { condition =>
      input.withColumn("w", windows).where(condition.sql) -> col("w")
    }
    val all: Seq[Column] = (values ++ having.map(_.sql + " AS having")).map(expr)
    val groups = rows.groupBy(grouped +: keys.map(expr): _*).agg(all.head, all.tail: _*)
    having
      .fold(groups)(_ => groups.where("having"))
      .select(
        Seq(col("w.start"), col("w.end")) ++
          key.sql.indices.map(i => col(s"key$i")) ++
          aggregates.indices.map(i => col(s"a$i")): _*
      )
  }

  def model(zone: ZoneId): FrameModel = new FrameModel(
    sizeMs,
    slideMs,
    offsetMs,
    grows,
    key.model(_, zone),
    row => where.forall(_.model(row))
  )
}

object FrameCase {

  val conditions: Seq[ConditionCase[SentRow]] = Seq(
    ConditionCase("n IS NULL OR n <> 2", !_.n.contains(2)),
    ConditionCase("id % 3 > 0", _.id % 3 > 0)
  )

  val havings: Seq[ConditionCase[Seq[SentRow]]] = Seq(
    ConditionCase("count(*) > 1", _.size > 1),
    ConditionCase("sum(n) > 0", rows => rows.exists(_.n.isDefined) && rows.flatMap(_.n).sum > 0),
    ConditionCase("max(id) % 2 = 0", _.map(_.id).max % 2 == 0)
  )
}
