package tidegate.own.windows

import java.security.MessageDigest

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.types.DataTypeUtils.fromAttributes
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite
import tidegate.core.window.FrameGrid
import tidegate.golden.PinnedFormat
import tidegate.own.StateMark
import tidegate.own.aggregates.{FrameAggregates, FrameStore, MapFrameStore}

/** The state of frames, for fixed rows: its schema, and the bytes of heads and chunks. */
class FrameFormatSuite extends AnyFunSuite {
  private val key = AttributeReference("key", LongType)()
  private val frame = AttributeReference("frame", LongType, nullable = false)()
  private val value = AttributeReference("value", LongType)()

  private def aggregates(functions: AggregateFunction*): FrameAggregates = {
    val all = functions.map(_.toAggregateExpression())
    FrameAggregates(Seq(key), frame, all, Seq(key, frame) ++ all.map(_.resultAttribute))
  }

  private val grid = FrameGrid(100L, 1L, 0L)

  /** The first key has more frames than fit into its head. */
  private val rows = (1L to 70L).map(time => (1L, time)) ++ Seq((2L, 3L), (2L, 3L), (2L, 60L))

  private def input(aggregates: FrameAggregates, buffers: Long => Seq[Any]) = {
    val toRow = UnsafeProjection.create(
      Array[DataType](LongType, LongType) ++ aggregates.inputBuffers.map(_.dataType)
    )
    rows.iterator.map { case (key, time) =>
      toRow(InternalRow.fromSeq(Seq[Any](key, time) ++ buffers(time))).copy()
    }
  }

  private def stateOf(aggregates: FrameAggregates, buffers: Long => Seq[Any]): Seq[String] = {
    val store = new MapFrameStore
    val in = input(aggregates, buffers)
    val root = FrameStore.rootKey(fromAttributes(aggregates.stateKey))
    new FrameWindowIterator(in, store, aggregates, grid, 0L, 40L, Long.MaxValue, false, false, root)
      .foreach(_ => ())
    val written = store.all.map { case (key, row) => s"${shown(key)} -> ${shown(row)}" }
    FrameRow.schema(aggregates.entryType).json +: written.toVector.sorted
  }

  private def shown(row: UnsafeRow): String = {
    val hex = row.getBytes.map(byte => f"$byte%02x").mkString
    if (hex.length <= FrameFormatSuite.MostShown) hex
    else {
      val hash = MessageDigest.getInstance("SHA-256").digest(row.getBytes)
      s"${row.getSizeInBytes} bytes, SHA-256 ${hash.map(byte => f"$byte%02x").mkString}"
    }
  }

  test("the state of frames is written as its format number says") {
    val collect = CollectList(value)
    val packed = stateOf(aggregates(Count(value), Sum(value)), time => Seq(1L, time))
    val objects = stateOf(
      aggregates(Count(value), collect),
      time => {
        val buffer = collect.createAggregationBuffer()
        buffer += time
        Seq(1L, collect.serialize(buffer))
      }
    )
    assert((packed ++ objects).exists(_.contains("SHA-256")), "no chunk")
    PinnedFormat(
      "frames",
      StateMark.Format,
      "the state of sliding windows",
      "StateMark.Format",
      "KeyFrames"
    ).check((packed ++ objects).mkString("", "\n", "\n"))
  }
}

private object FrameFormatSuite {
  private val MostShown = 800
}
