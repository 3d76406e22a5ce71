package tidegate.functions

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{
  ImperativeAggregate,
  TypedImperativeAggregate
}
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._

/**
 * The first rows of a group, each with its rank: what `rank() OVER (... ORDER BY order)` gives to
 * the rows whose rank is at most `limit`. Unlike a window function, it can be merged from parts.
 *
 * Equal rows have the order in which they came, as far as there is one.
 *
 * @param row
 *   what is kept of a row: a struct
 * @param order
 *   which rows come first
 * @param limit
 *   the highest rank; the buffer has so many rows, and for ranks with ties also those that are
 *   equal to the last one
 */
private[tidegate] final case class TopRows(
    row: Expression,
    order: Seq[SortOrder],
    rank: RankFunction,
    limit: Int,
    override val mutableAggBufferOffset: Int = 0,
    override val inputAggBufferOffset: Int = 0
) extends TypedImperativeAggregate[TopRows.Buffer] {
  import TopRows._

  override def children: Seq[Expression] = row +: order

  override def nullable: Boolean = false

  /** The rank and the row, of each row. */
  override def dataType: DataType = ArrayType(
    new StructType().add("rank", IntegerType, false).add("row", row.dataType, false),
    containsNull = false
  )

  override def prettyName: String = s"top_${rank.name}"

  private val rowPlace = order.size

  @transient private lazy val project = UnsafeProjection.create(order.map(_.child) :+ row)

  @transient private lazy val ordering: BaseOrdering = RowOrdering.create(
    order.zipWithIndex.map { case (o, i) =>
      o.copy(
        child = BoundReference(i, o.child.dataType, nullable = true),
        sameOrderExpressions = Nil
      )
    },
    Nil
  )

  override def createAggregationBuffer(): Buffer = new Buffer(rank, limit, ordering)

  override def update(buffer: Buffer, input: InternalRow): Buffer = {
    val made = project(input)
    if (buffer.admits(made)) buffer.add(made.copy())
    buffer
  }

  override def merge(buffer: Buffer, other: Buffer): Buffer = {
    other.rows.foreach(row => if (buffer.admits(row)) buffer.add(row))
    buffer
  }

  override def eval(buffer: Buffer): Any = new GenericArrayData(
    buffer.ranks.zip(buffer.rows).map { case (rank, kept) =>
      InternalRow(rank, kept.getStruct(rowPlace, row.dataType.asInstanceOf[StructType].size))
    }
  )

  /** Not the limit, which may change between two runs of a query. */
  @transient private lazy val bytes = {
    // Not with what may be NULL: that is not the same in all places of a plan.
    val by = order.map(o => s"${o.dataType.catalogString} ${o.direction.sql} ${o.nullOrdering.sql}")
    val meaning = s"${row.dataType.catalogString}, ordered by ${by.mkString(", ")}"
    new RowBytes(prettyName, meaning, rowPlace + 1)
  }

  override def serialize(buffer: Buffer): Array[Byte] = bytes.of(buffer.rows)

  override def deserialize(stored: Array[Byte]): Buffer = {
    val buffer = createAggregationBuffer()
    bytes.rows(stored).foreach(buffer.add)
    buffer
  }

  override def withNewMutableAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(mutableAggBufferOffset = offset)

  override def withNewInputAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(inputAggBufferOffset = offset)

  override protected def withNewChildrenInternal(children: IndexedSeq[Expression]): TopRows =
    copy(row = children.head, order = children.tail.map(_.asInstanceOf[SortOrder]))
}

/** How rows are numbered. */
private[tidegate] sealed abstract class RankFunction(val name: String)

private[tidegate] object RankFunction {

  /** One after the other, also those that are equal. */
  case object RowNumber extends RankFunction("row_number")

  /** Equal rows have one rank; the rows after them have that of their place. */
  case object Rank extends RankFunction("rank")

  /** Equal rows have one rank; the rows after them have the next one. */
  case object DenseRank extends RankFunction("dense_rank")
}

private[tidegate] object TopRows {

  /** The rows that have come so far and may stay, in order. */
  final class Buffer(rank: RankFunction, limit: Int, ordering: Ordering[InternalRow]) {
    private val kept = ArrayBuffer.empty[UnsafeRow]

    /** How many different rows there are. */
    private var groups = 0

    def rows: collection.Seq[UnsafeRow] = kept

    /** Whether a row may stay; if not, its rank is too high. */
    def admits(row: InternalRow): Boolean = limit > 0 && (!isFull || {
      val order = ordering.compare(row, kept.last)
      order < 0 || order == 0 && rank != RankFunction.RowNumber
    })

    /** Adds a row that may stay, and forgets those that may no longer. */
    def add(row: UnsafeRow): Unit = {
      val place = firstAfter(row)
      if (place == 0 || ordering.compare(kept(place - 1), row) != 0) groups += 1
      kept.insert(place, row)
      forgetLast()
    }

    /** Each row with a rank of its own at the end of a full buffer keeps further rows out. */
    private def isFull: Boolean = rank match {
      case RankFunction.DenseRank => groups >= limit
      case _                      => kept.size >= limit
    }

    private def forgetLast(): Unit = rank match {
      case RankFunction.RowNumber => if (kept.size > limit) kept.dropRightInPlace(1): Unit
      case _                      =>
        val first = firstOfLast
        val isTooFar = if (rank == RankFunction.Rank) first >= limit else groups > limit
        if (isTooFar) {
          kept.dropRightInPlace(kept.size - first): Unit
          groups -= 1
        }
    }

    /** The place of the first row that is equal to the last one. */
    private def firstOfLast: Int = {
      var first = kept.size - 1
      while (first > 0 && ordering.compare(kept(first - 1), kept.last) == 0) first -= 1
      first
    }

    /** The place of the first row that comes after a row, in the order. */
    private def firstAfter(row: InternalRow): Int = {
      var (low, high) = (0, kept.size)
      while (low < high) {
        val middle = (low + high) >>> 1
        if (ordering.compare(kept(middle), row) <= 0) low = middle + 1 else high = middle
      }
      low
    }

    /** The rank of each row. */
    def ranks: Seq[Int] = {
      var (last, distinct) = (0, 0)
      kept.indices.map { i =>
        if (i == 0 || ordering.compare(kept(i - 1), kept(i)) != 0) {
          last = i + 1
          distinct += 1
        }
        rank match {
          case RankFunction.RowNumber => i + 1
          case RankFunction.Rank      => last
          case RankFunction.DenseRank => distinct
        }
      }
    }
  }
}
