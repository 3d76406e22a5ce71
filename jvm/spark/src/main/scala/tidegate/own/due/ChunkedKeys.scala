package tidegate.own.due

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, UnsafeRow}
import org.apache.spark.sql.tidegate.SparkInternals
import org.apache.spark.sql.types._

/** The key of a state in which each join key has a head and chunks: rows of their own. */
private[own] object ChunkedKeys {

  /** The number of a chunk in its key; NULL in the key of a head. */
  val Chunk = 0

  def schema(keys: Seq[Expression]): StructType = {
    val columns = keys.zipWithIndex.map { case (key, i) =>
      val name = key match {
        case a: Attribute => a.name
        case _            => s"key_$i"
      }
      StructField(name, SparkInternals.nullable(key.dataType))
    }
    DueSchema.key(StructType(StructField("chunk", IntegerType) +: columns))
  }

  /** The key of a chunk. */
  def ofChunk(headKey: UnsafeRow, number: Int): UnsafeRow = {
    val key = headKey.copy()
    key.setInt(Chunk, number)
    key
  }

  /**
   * The column for rows of a side, which may be without nulls in a batch that lacks a branch of a
   * union.
   */
  def rows(columns: Seq[Attribute]): ArrayType = ArrayType(
    StructType(columns.map(c => StructField(c.name, SparkInternals.nullable(c.dataType)))),
    containsNull = false
  )
}
