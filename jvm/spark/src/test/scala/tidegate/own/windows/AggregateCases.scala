package tidegate
package own.windows

import org.apache.spark.sql.expressions.Aggregator
import org.apache.spark.sql.{Encoder, Encoders, SparkSession, functions}

/**
 * An aggregate in SQL over the columns of `SentRow`.
 *
 * @param model
 *   what it is of the rows of a window
 * @param isFree
 *   it may be any of the values that the model gives
 * @param needsSpread
 *   where the values hardly differ, it is what the rounding errors make of it
 */
final case class AggregateCase(
    sql: String,
    model: Option[Seq[SentRow] => Any] = None,
    isFree: Boolean = false,
    needsSpread: Boolean = false
) {
  override def toString: String = sql

  /** Whether its value can be predicted for these rows. */
  def isStable(rows: Seq[SentRow]): Boolean =
    !needsSpread || rows.flatMap(_.n).distinct.size > 2
}

object AggregateCases {

  private def numbers(rows: Seq[SentRow]): Seq[Int] = rows.flatMap(_.n)

  private def sum(rows: Seq[SentRow]): Any =
    if (numbers(rows).isEmpty) null else numbers(rows).map(_.toLong).sum

  private def known(sql: String)(model: Seq[SentRow] => Any) = AggregateCase(sql, Some(model))

  private def free(sql: String)(model: Seq[SentRow] => Any) =
    AggregateCase(sql, Some(model), isFree = true)

  private def nullable(value: Option[Any]): Any = value.orNull

  /** What the model knows. */
  val modelled: Seq[AggregateCase] = Seq(
    known("count(*)")(_.size.toLong),
    known("count(n)")(numbers(_).size.toLong),
    known("sum(n)")(sum),
    known("sum(l)")(rows => nullable(Option(sum(rows)).map(_.asInstanceOf[Long] * 10000000000L))),
    known("min(n)")(rows => nullable(numbers(rows).minOption)),
    known("max(n)")(rows => nullable(numbers(rows).maxOption)),
    known("min(s)")(_.map(_.s).min),
    known("max(s)")(_.map(_.s).max),
    known("avg(n)")(rows =>
      nullable(Option.when(numbers(rows).nonEmpty) {
        numbers(rows).map(_.toDouble).sum / numbers(rows).size
      })
    ),
    known("count(*) FILTER (WHERE n > 1)")(numbers(_).count(_ > 1).toLong),
    known("sum(n) FILTER (WHERE id % 2 = 0)")(rows => sum(rows.filter(_.id % 2 == 0))),
    known("count_if(k IS NULL)")(_.count(_.k.isEmpty).toLong),
    known("collect_list(n)")(numbers),
    known("collect_list(struct(id, s))")(_.map(r => (r.id, r.s))),
    known("collect_set(n)")(numbers(_).distinct),
    known("max_by(s, id)")(_.maxBy(_.id).s),
    known("min_by(id, -id)")(_.map(_.id).max),
    known("coalesce(sum(n), 0) * 2 + count(*)")(rows =>
      numbers(rows).map(_.toLong).sum * 2 + rows.size
    ),
    known("spread_of(n)")(rows =>
      if (numbers(rows).isEmpty) -1L else (numbers(rows).max - numbers(rows).min).toLong
    ),
    free("first(id)")(_.map(_.id)),
    free("last(n)")(_.map(r => nullable(r.n))),
    free("any_value(s)")(_.map(_.s)),
    free("first(n, true)")(rows => if (numbers(rows).isEmpty) Seq[Any](null) else numbers(rows))
  )

  private val exact: Seq[AggregateCase] = Seq(
    "sum(d)",
    "avg(d)",
    "sum(x)",
    "avg(x)",
    "min(x)",
    "max(y)",
    "sum(y)",
    "avg(y)",
    "min(time)",
    "max(struct(n, id))",
    "max(array(id, n))",
    "try_sum(l)",
    "sum(make_dt_interval(0, 0, 0, n))",
    "bit_xor(id)",
    "bit_or(id)",
    "bool_and(n > 0)",
    "var_pop(x)",
    "var_samp(n)",
    "stddev_samp(x)",
    "stddev_pop(n)",
    "covar_pop(x, n)",
    "covar_samp(x, id)",
    "approx_count_distinct(s)",
    "percentile_approx(n, array(0.25, 0.5, 1.0))",
    "percentile(x, 0.3)",
    "median(n)",
    "hll_sketch_estimate(hll_sketch_agg(id))",
    "sum(x) / count(*) + 1",
    "round(avg(x), 2)",
    "max(n) - min(n)",
    "array_sort(collect_set(s))",
    "sum(x) FILTER (WHERE k = 'a')",
    "upper(max(k))"
  ).map(AggregateCase(_))

  private val spread: Seq[AggregateCase] = Seq(
    // Not `corr`, which fails where all values are equal, in a batch query too.
    "regr_r2(x, n)",
    "regr_slope(x, n)",
    "regr_r2(n, x)",
    "regr_intercept(x, n)",
    "skewness(x)",
    "kurtosis(n)"
  ).map(AggregateCase(_, needsSpread = true))

  val all: Seq[AggregateCase] = modelled ++ exact ++ spread

  def register(spark: SparkSession): Unit = {
    spark.udf.register("spread_of", functions.udaf(SpreadOf, Encoders.INT))
    ()
  }
}

/** What `SpreadOf` keeps. */
final case class SpreadBuffer(min: Int, max: Int)

/** The highest number minus the lowest, -1 if there is none. */
object SpreadOf extends Aggregator[Integer, SpreadBuffer, Long] {
  override def zero: SpreadBuffer = SpreadBuffer(Int.MaxValue, Int.MinValue)

  override def reduce(b: SpreadBuffer, n: Integer): SpreadBuffer =
    if (n == null) b else SpreadBuffer(math.min(b.min, n), math.max(b.max, n))

  override def merge(a: SpreadBuffer, b: SpreadBuffer): SpreadBuffer =
    SpreadBuffer(math.min(a.min, b.min), math.max(a.max, b.max))

  override def finish(b: SpreadBuffer): Long =
    if (b.min > b.max) -1L else b.max.toLong - b.min.toLong

  override def bufferEncoder: Encoder[SpreadBuffer] = Encoders.product[SpreadBuffer]

  override def outputEncoder: Encoder[Long] = Encoders.scalaLong
}
