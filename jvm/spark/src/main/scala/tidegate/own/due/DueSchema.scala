package tidegate.own.due

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.types._
import tidegate.columns.DistinctNames

/**
 * The schema of a store that holds the rows of an operator and the pages of its due keys.
 *
 * To its own columns an operator adds one column of the key and one of the value:
 *
 * | row                        | the operator's columns | key: `due_page`       | value: `due`                 |
 * |:---------------------------|:-----------------------|:----------------------|:-----------------------------|
 * | of the operator            | its key and value      | NULL                  | NULL                         |
 * | a page                     | NULL                   | its bucket and number | `entries`; `buckets` is NULL |
 * | the root, if a page exists | NULL                   | with a NULL inside    | `buckets`; `entries` is NULL |
 * | the count                  | one has the number     | with a NULL inside    | NULL                         |
 *
 * `entries` has an array for each of the operator's columns of a key, and `due_at`, the array of
 * the times. The elements at one place are an entry, which so needs no struct of its own.
 *
 * Times are in µs, and of type BIGINT: some are too early or too late for a TIMESTAMP in Python.
 */
object DueSchema {

  /** The column of the key that only pages and the root have. */
  val PageColumn = "due_page"

  /** The times of a page. */
  private val DueAt = "due_at"

  /** A bucket begins at `start`, in µs, and is `2^bits` µs long. */
  private[due] val Place: StructType = StructType(
    Seq(
      StructField("bits", IntegerType),
      StructField("start", LongType),
      StructField("page", IntegerType)
    )
  )

  private[due] val Bucket: StructType = StructType(
    Seq(
      StructField("bits", IntegerType, nullable = false),
      StructField("start", LongType, nullable = false),
      StructField("first", IntegerType, nullable = false),
      StructField("next", IntegerType, nullable = false),
      StructField("is_last_small", BooleanType, nullable = false),
      StructField("earliest", LongType, nullable = false)
    )
  )

  /**
   * The key of all rows of the store. A name that comes twice, or that the state has for a column
   * of its own, gets a number: Spark's reader of states finds columns by their names.
   */
  def key(own: StructType): StructType =
    StructType(DistinctNames.of(nullable(own), PageColumn, DueAt)).add(PageColumn, Place)

  /**
   * The value of all rows of the store.
   *
   * @param key
   *   what the method of that name returned
   */
  def value(own: StructType, key: StructType): StructType = nullable(own).add("due", due(key))

  /** Whether a state with this key has pages. */
  def isIn(key: StructType): Boolean = key.last.name == PageColumn && key.last.dataType == Place

  /** The key columns of a row of the operator. */
  def keyColumns(own: Seq[Expression]): Seq[Expression] = own :+ Literal(null, Place)

  /**
   * The value columns of a row of the operator.
   *
   * @param key
   *   as for [[value]]
   */
  def valueColumns(own: Seq[Expression], key: StructType): Seq[Expression] =
    own :+ Literal(null, due(key))

  private[due] def due(key: StructType): StructType =
    new StructType()
      .add("entries", entries(key))
      .add("buckets", ArrayType(Bucket, containsNull = false))

  private def entries(key: StructType): StructType =
    StructType(key.init.map(c => StructField(c.name, ArrayType(c.dataType), nullable = false)))
      .add(DueAt, ArrayType(LongType, containsNull = false), nullable = false)

  private def nullable(own: StructType): StructType = StructType(own.map(_.copy(nullable = true)))
}
