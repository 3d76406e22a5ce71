package tidegate.own.asof

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.types._
import tidegate.own.StateSchemas
import tidegate.own.due.{ChunkedKeys, DueSchema}

/**
 * The state of an as-of join. Each join key has a head with some rows of both sides. Rows that do
 * not fit there are in chunks: rows of their own with rows of one side. The chunks of a side do not
 * overlap, so a time is in one of them.
 *
 * One more row has the number of heads and chunks in `left_due`, and NULL in the keys and the other
 * columns; `due_page` tells it from a head.
 *
 * | column      | of a head                                                  | of a chunk        |
 * |:------------|:-----------------------------------------------------------|:------------------|
 * | `left_due`  | when the key is looked at next because of left rows, in µs | NULL              |
 * | `right_due` | the same because of versions                               | NULL              |
 * | `chunks`    | the chunks, those of the left side first, by their times   | NULL              |
 * | `left`      | left rows that wait                                        | the same, or NULL |
 * | `right`     | versions                                                   | the same, or NULL |
 */
private[asof] object AsOfStateSchema {

  val LeftDue = 0

  /** Of the row that counts the others. */
  val Count = LeftDue
  val RightDue = 1
  val Chunks = 2
  val Left = 3
  val Right = 4

  /** Without the column of due keys, which comes last. */
  val OwnColumns = 5

  /** In the list of chunks: whether one is of the left side. */
  val ChunkIsLeft = 0
  val ChunkNumber = 1

  /** The rows before this one have left. */
  val ChunkFirst = 2
  val ChunkRows = 3
  val ChunkFrom = 4
  val ChunkTo = 5
  val ChunkFields = 6

  private val chunk = new StructType()
    .add("is_left", BooleanType, nullable = false)
    .add("number", IntegerType, nullable = false)
    .add("first", IntegerType, nullable = false)
    .add("rows", IntegerType, nullable = false)
    .add("from", LongType, nullable = false)
    .add("to", LongType, nullable = false)

  def value(left: Seq[Attribute], right: Seq[Attribute], key: StructType): StructType =
    DueSchema.value(
      new StructType()
        .add("left_due", LongType)
        .add("right_due", LongType)
        .add("chunks", ArrayType(chunk, containsNull = false))
        .add("left", ChunkedKeys.rows(left))
        .add("right", ChunkedKeys.rows(right)),
      key
    )

  /** The columns of the rows of one side, from the value of a state. */
  def columnsIn(value: StructType, isLeft: Boolean): StructType =
    value.fields.lift(if (isLeft) Left else Right).map(_.dataType) match {
      case Some(ArrayType(row: StructType, _)) => row
      case _                                   => new StructType()
    }

  /** Whether the rows of a side have the same names in the same places. */
  def haveSameNames(before: StructType, now: StructType): Boolean =
    before.length == now.length &&
      before.zip(now).forall { case (b, n) => StateSchemas.isSameName(b.name, n.name) }
}

/**
 * A chunk in the state.
 *
 * @param first
 *   the rows before this one have left
 * @param rows
 *   the number of rows, with those that have left
 * @param from
 *   the time of the first row that has not left
 * @param to
 *   the time of the last row
 */
private[asof] final class Chunk(
    val number: Int,
    var first: Int,
    val rows: Int,
    var from: Long,
    val to: Long
)
