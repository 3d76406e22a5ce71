package tidegate.own.sessions

import scala.collection.mutable
import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite
import tidegate.core.due.DueKeys
import tidegate.own.aggregates.{FrameAggregates, MapFrameStore}
import tidegate.own.windows.MapDueRows

/**
 * Sessions of random rows in a store in memory, against a model that merges rows by the definition
 * of a session. No query runs, so that thousands of batches take a moment.
 */
class SessionsOnMapSuite extends AnyFunSuite {
  import SessionsOnMapSuite._

  /**
   * Random batches under an ascending watermark, each session as it has to come out.
   *
   * @param lag
   *   in gaps: how far rows are behind the newest
   * @return
   *   the largest number of rows in the state
   */
  private def check(seed: Int, aggregates: FrameAggregates, batches: Int, lag: Int): Int = {
    val random = new Random(seed)
    val gap = (1 + random.nextInt(5)).toLong
    val sessions = new Sessions(aggregates, gap)
    val model = new Model(gap)
    var (watermark, largest) = (0L, 0)
    (1 to batches).foreach { batch =>
      val rows = Seq.fill(random.nextInt(40)) {
        val time = watermark - gap + 1 + random.nextInt((gap * lag).toInt)
        Sent(random.nextInt(3).toLong, time, random.nextInt(100).toLong)
      }
      // Now and then time stands still, or jumps over all rows.
      watermark += (random.nextInt(8) match {
        case 0 | 1 => 0L
        case 2     => gap * lag * 2
        case _     => random.nextInt((gap * lag).toInt / 4 + 1).toLong
      })
      val maxBytes = if (random.nextBoolean()) 1000L else Long.MaxValue
      val found = sessions.batch(rows, watermark, maxBytes)
      assert(found.sorted === model.batch(rows, watermark).sorted, s"seed $seed, batch $batch")
      assert(found.groupBy(_.key).values.forall(of => of == of.sortBy(_.start)))
      largest = math.max(largest, sessions.store.size)
    }
    // When time has passed all rows, nothing of them is left.
    watermark += gap * lag * 4
    assert(
      sessions.batch(Nil, watermark, Long.MaxValue).sorted === model.batch(Nil, watermark).sorted
    )
    assert(sessions.store.size === 0)
    assert(sessions.pages.size === 0)
    largest
  }

  test("packed entries: sessions and what is left of the state are those of the model") {
    (1 to 100).foreach(check(_, counted, batches = 20, lag = 8))
  }

  test("many open sessions of a key: chunks are changed, split, bridged and closed") {
    val largest = (1 to 60).map(check(_, counted, batches = 60, lag = 2000)).max
    assert(largest > 6, "no chunks")
  }

  test("entries that are objects: sessions and what is left of the state are those of the model") {
    (1 to 20).foreach(check(_, listed, batches = 12, lag = 8))
    (1 to 4).foreach(check(_, listed, batches = 30, lag = 2000))
  }

  test("a session that goes on costs one look for each of its gaps") {
    val sessions = new Sessions(counted, gap = 100)
    val rows = (1 to 50).map(i => Sent(1, i * 10L, 1))
    rows.foreach(row => assert(sessions.batch(Seq(row), row.time, Long.MaxValue) === Nil))
    assert(sessions.store.puts <= 50 + 6)
    assert(sessions.batch(Nil, 599, Long.MaxValue) === Nil)
    assert(sessions.batch(Nil, 600, Long.MaxValue) === Seq(Found(1, 10, 600, 50, 50)))
    assert(sessions.store.size === 0)
  }

  test("a session far ahead does not leave a note for each session before it") {
    val sessions = new Sessions(counted, gap = 100)
    val far = Sent(1, 1000000000L, 1)
    assert(sessions.batch(Seq(Sent(1, 0, 1), far), 50, Long.MaxValue) === Nil)
    for (i <- 1 to 1000) {
      val found = sessions.batch(Seq(Sent(1, i * 300L, 1)), i * 300L + 50, Long.MaxValue)
      assert(found.size === (if (i == 1) 1 else 0))
      val closed = sessions.batch(Nil, i * 300L + 100, Long.MaxValue)
      assert(closed === Seq(Found(1, i * 300L, i * 300L + 100, 1, 1)))
    }
    assert(sessions.pages.entries < 2 * 64)
    val last = sessions.batch(Nil, Long.MaxValue, Long.MaxValue)
    assert(last === Seq(Found(1, far.time, far.time + 100, 1, 1)))
    assert(sessions.pages.size === 0)
    assert(sessions.store.size === 0)
  }

  test("a batch reads and writes the keys of its rows, and no others") {
    val sessions = new Sessions(counted, gap = 100)
    val _ = sessions.batch((1 to 1000).map(i => Sent(i.toLong, 50L, 1)), 60, Long.MaxValue)
    sessions.store.puts = 0
    sessions.store.gets = 0
    assert(sessions.batch(Seq(Sent(7, 80, 1)), 90, Long.MaxValue) === Nil)
    assert((sessions.store.gets, sessions.store.puts) === ((1, 1)))
  }
}

object SessionsOnMapSuite {
  private final case class Sent(key: Long, time: Long, value: Long)

  private final case class Found(key: Long, start: Long, end: Long, count: Long, sum: Long)

  private object Found {
    implicit val order: Ordering[Found] = Ordering.by(f => (f.key, f.start))
  }

  private val key = AttributeReference("key", LongType)()
  private val start = AttributeReference("start", LongType, nullable = false)()
  private val value = AttributeReference("value", LongType)()

  private def aggregates(functions: AggregateFunction*): FrameAggregates = {
    val all = (Max(start) +: functions).map(_.toAggregateExpression())
    FrameAggregates(
      Seq(key),
      start,
      all,
      Seq(key, start) ++ all.map(_.resultAttribute),
      SessionRow.Times
    )
  }

  private val counted = aggregates(Count(value), Sum(value))

  /** A list of values is no buffer of one word. */
  private val listed = aggregates(Count(value), Sum(value), CollectList(value))

  /** The operator, batch by batch. */
  private final class Sessions(aggregates: FrameAggregates, gap: Long) {
    val store = new MapFrameStore
    val pages = new MapDueRows
    private var watermark = Long.MinValue

    private val toRow = UnsafeProjection.create(
      Array[DataType](LongType, LongType) ++ aggregates.inputBuffers.map(_.dataType)
    )
    private val list =
      aggregates.functions.map(_.aggregateFunction).collectFirst { case c: CollectList => c }

    /** What the partial aggregation of a task emits: here of each row alone. */
    private def partial(sent: Sent): UnsafeRow = {
      val buffers = Seq[Any](sent.time + gap, 1L, sent.value) ++ list.map { c =>
        val buffer = c.createAggregationBuffer()
        buffer += sent.value
        c.serialize(buffer)
      }
      toRow(InternalRow.fromSeq(Seq[Any](sent.key, sent.time) ++ buffers)).copy()
    }

    def batch(rows: Seq[Sent], until: Long, maxBytes: Long): Seq[Found] = {
      val due = new DueKeys(pages, watermark)
      val input = rows.iterator.map(partial)
      val lookBy = SessionAggregateExec.lookBy(until, gap)
      val found = new SessionIterator(input, store, due, aggregates, until, lookBy, maxBytes).map {
        row =>
          Found(row.getLong(0), row.getLong(1), row.getLong(2), row.getLong(3), row.getLong(4))
      }.toVector
      watermark = until
      found
    }
  }

  private final class Model(gap: Long) {
    private val open = mutable.Map.empty[Long, Vector[Found]]

    def batch(rows: Seq[Sent], until: Long): Seq[Found] = {
      rows.foreach { r =>
        val (touched, others) = open
          .getOrElse(r.key, Vector.empty)
          .partition(s => s.start <= r.time + gap && r.time <= s.end)
        val all = touched :+ Found(r.key, r.time, r.time + gap, 1, r.value)
        open(r.key) = others :+ Found(
          r.key,
          all.map(_.start).min,
          all.map(_.end).max,
          all.map(_.count).sum,
          all.map(_.sum).sum
        )
      }
      val closed = open.values.flatten.filter(_.end <= until).toSeq
      open.mapValuesInPlace((_, sessions) => sessions.filter(_.end > until))
      closed
    }
  }
}
