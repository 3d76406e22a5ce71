package tidegate.own.join

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.types._
import tidegate.own.due.{ChunkedKeys, DueSchema}

/**
 * The state of an interval join. Each join key has a head. Rows that do not fit there are sealed
 * into chunks, by their times: rows of their own that are read only where a chunk may have a
 * partner.
 *
 * One more row has the number of heads and chunks in `left_due`, and NULL in the keys and the other
 * columns; `due_page` tells it from a head.
 *
 * | column      | of a head                                                                   | of a chunk |
 * |:------------|:----------------------------------------------------------------------------|:-----------|
 * | `left_due`  | when the key is looked at next because of its left rows, in µs              | NULL       |
 * | `right_due` | the same of its right rows                                                  | NULL       |
 * | `chunks`    | the number and the rows of each chunk, and the times of its rows of a side  | NULL       |
 * | `left`      | the rows of the left side                                                   | the same   |
 * | `right`     | the rows of the right side                                                  | the same   |
 * | `matched`   | whether each row has found a partner, the left ones first; NULL if none has | the same   |
 */
private[join] object JoinStateSchema {

  val LeftDue = 0

  /** Of the row that counts the others. */
  val Count = LeftDue
  val RightDue = 1
  val Chunks = 2
  val Left = 3
  val Right = 4
  val Matched = 5

  /** Without the column of due keys, which comes last. */
  val OwnColumns = 6

  /** Of a chunk in the list of chunks. */
  val ChunkNumber = 0
  val ChunkRows = 1

  /** The first of the times of a side. */
  def chunkTimes(isLeft: Boolean): Int = if (isLeft) 2 else 5

  val ChunkFields = 8

  private val chunk = new StructType()
    .add("number", IntegerType, nullable = false)
    .add("rows", IntegerType, nullable = false)
    .add("left_from", LongType)
    .add("left_to", LongType)
    .add("left_due", LongType)
    .add("right_from", LongType)
    .add("right_to", LongType)
    .add("right_due", LongType)

  def value(left: Seq[Attribute], right: Seq[Attribute], key: StructType): StructType =
    DueSchema.value(
      new StructType()
        .add("left_due", LongType)
        .add("right_due", LongType)
        .add("chunks", ArrayType(chunk, containsNull = false))
        .add("left", ChunkedKeys.rows(left))
        .add("right", ChunkedKeys.rows(right))
        .add("matched", ArrayType(BooleanType, containsNull = false)),
      key
    )
}
