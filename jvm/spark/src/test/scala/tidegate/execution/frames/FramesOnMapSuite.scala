package tidegate.execution.frames

import scala.collection.mutable
import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite
import tidegate.core.window.FrameGrid

/**
 * Frames of random rows in a store in memory, against a model that puts each row into each of its
 * windows. No query runs, so that thousands of batches take a moment.
 */
class FramesOnMapSuite extends AnyFunSuite {
  import FramesOnMapSuite._

  /** Random batches under an ascending watermark, each window as it has to come out. */
  private def check(
      seed: Int,
      aggregates: FrameAggregates,
      batches: Int,
      rowsInBatch: Int = 30,
      grows: Boolean = false
  ): MapFrameStore = {
    val random = new Random(seed)
    val slide = (1 + random.nextInt(5)).toLong
    val framesInWindow = if (seed % 3 == 0 && !grows) 1 else 1 + random.nextInt(300)
    val grid =
      FrameGrid(slide * framesInWindow, slide, random.nextInt(5).toLong % slide, grows)
    val store = new MapFrameStore
    val sent = mutable.ArrayBuffer.empty[Sent]
    var watermark = grid.size * 2
    var after = grid.lastEnd(watermark)
    (1 to batches).foreach { batch =>
      val rows = Seq.fill(random.nextInt(rowsInBatch)) {
        // Not before the first window that is open.
        val first = grid.firstOpenFrame(after)
        val time = first + random.nextInt(grid.size.toInt * 2)
        Sent(random.nextInt(3).toLong, time, random.nextInt(100).toLong, after)
      }
      sent ++= rows
      // Now and then time stands still, or jumps over all rows.
      watermark += (random.nextInt(4) match {
        case 0 => 0L
        case 1 => grid.size * 3
        case 2 => random.nextInt(grid.size.toInt / 10 + 1).toLong
        case _ => random.nextInt(grid.size.toInt + 1).toLong
      })
      val until = grid.lastEnd(watermark)
      val maxBytes = if (random.nextBoolean()) 1000L else Long.MaxValue
      val walks = store.walks
      val windows = iterator(rows, store, aggregates, grid, after, until, maxBytes, isShort(seed))
      withClue(s"seed $seed, batch $batch: ") {
        assert(all(windows).sorted === expected(sent, grid, after, until).sorted)
        assert(store.walks - walks === (if (until > after) 1 else 0))
        // Never too late, and not what is out already.
        if (until > after) {
          assert(windows.earliest <= nextEnd(sent, grid, until))
          assert(windows.earliest > until)
        }
      }
      after = until
    }
    // When time has passed all rows, nothing of them is left.
    val end = grid.lastEnd(watermark + grid.size * 4)
    iterator(Nil, store, aggregates, grid, after, end, Long.MaxValue, isShort(seed))
      .foreach(_ => ())
    store
  }

  test("packed entries: windows and what is left of the state are those of the model") {
    (1 to 100).foreach(seed => assert(check(seed, counted, batches = 12).size === 0, s"seed $seed"))
  }

  test("entries that are objects: windows and what is left of the state are those of the model") {
    (1 to 40).foreach(seed => assert(check(seed, listed, batches = 8).size === 0, s"seed $seed"))
  }

  test(
    "windows that grow, in chunks or not, and what is left of the state are those of the model"
  ) {
    Seq(counted, listed).foreach { aggregates =>
      (1 to 16).foreach { seed =>
        // Enough rows for many chunks, in some cases.
        val rows = if (seed % 2 == 0) 30 else 600
        assert(check(seed, aggregates, batches = 12, rows, grows = true).size === 0, s"seed $seed")
      }
    }
  }
}

object FramesOnMapSuite {

  /** A row; `closed` is the end of the last window that was out when the row was sent. */
  private final case class Sent(key: Long, time: Long, value: Long, closed: Long)

  private final case class Found(key: Long, start: Long, count: Long, sum: Long)

  private object Found {
    implicit val order: Ordering[Found] = Ordering.by(f => (f.key, f.start))
  }

  private val key = AttributeReference("key", LongType)()
  private val frame = AttributeReference("frame", LongType, nullable = false)()
  private val value = AttributeReference("value", LongType)()

  private def aggregates(functions: AggregateFunction*): FrameAggregates = {
    val all = functions.map(_.toAggregateExpression())
    FrameAggregates(Seq(key), frame, all, Seq(key, frame) ++ all.map(_.resultAttribute))
  }

  private val counted = aggregates(Count(value), Sum(value))

  /** A list of values is no buffer of one word. */
  private val listed = aggregates(Count(value), Sum(value), CollectList(value))

  /** Half of all states, of windows that overlap and of others, have short rows. */
  private def isShort(seed: Int): Boolean = seed / 3 % 2 == 0

  /** What the partial aggregation of a task emits: here of each row alone. */
  private def partial(aggregates: FrameAggregates, grid: FrameGrid): Sent => UnsafeRow = {
    val toRow = UnsafeProjection.create(
      Array[DataType](LongType, LongType) ++ aggregates.inputBuffers.map(_.dataType)
    )
    val list = aggregates.functions.map(_.aggregateFunction).collectFirst { case c: CollectList =>
      c
    }
    (sent: Sent) => {
      val of = sent.time - Math.floorMod(sent.time - grid.offset, grid.slide)
      val buffers = Seq[Any](1L, sent.value) ++ list.map { c =>
        val buffer = c.createAggregationBuffer()
        buffer += sent.value
        c.serialize(buffer)
      }
      toRow(InternalRow.fromSeq(Seq[Any](sent.key, of) ++ buffers)).copy()
    }
  }

  private def iterator(
      rows: Seq[Sent],
      store: FrameStore,
      aggregates: FrameAggregates,
      grid: FrameGrid,
      after: Long,
      until: Long,
      maxBytes: Long,
      isShort: Boolean
  ): FrameWindowIterator = {
    val input = rows.iterator.map(partial(aggregates, grid))
    new FrameWindowIterator(input, store, aggregates, grid, after, until, maxBytes, isShort)
  }

  private def all(windows: FrameWindowIterator): Seq[Found] =
    windows
      .map(row => Found(row.getLong(0), row.getLong(1), row.getLong(2), row.getLong(3)))
      .toVector

  /** The end of the first window with a row after those that end at `until`. */
  private def nextEnd(sent: collection.Seq[Sent], grid: FrameGrid, until: Long): Long = {
    val ends = for {
      row <- sent
      frame = grid.frameOf(row.time)
      end = math.max(math.max(until, row.closed), frame) + grid.slide
      if end <= grid.lastEndOver(frame)
    } yield end
    ends.minOption.getOrElse(Long.MaxValue)
  }

  private def expected(
      sent: collection.Seq[Sent],
      grid: FrameGrid,
      after: Long,
      until: Long
  ): Seq[Found] = {
    val byKey = sent.filter(_.time >= after - grid.size).groupBy(_.key).toSeq
    for {
      end <- (after + grid.slide) to until by grid.slide
      start = if (grid.grows) grid.beginOf(end - 1) else end - grid.size
      (key, rows) <- byKey
      inside = rows.filter(r => r.time >= start && r.time < end && r.closed < end)
      if inside.nonEmpty
      // A window that grows is named by its last frame.
      name = if (grid.grows) end - grid.slide else start
    } yield Found(key, name, inside.size.toLong, inside.map(_.value).sum)
  }
}
