package tidegate.own.windows

import scala.collection.mutable
import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.types.DataTypeUtils.fromAttributes
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite
import tidegate.core.window.FrameGrid
import tidegate.own.StateRows
import tidegate.own.aggregates.{EntrySlots, FrameAggregates, FrameStore, MapFrameStore}
import tidegate.plans.DropLate
import tidegate.{AtNight, StateStoreKind}

/**
 * Frames of random rows in a store in memory, against a model that puts each row into each of its
 * windows. No query runs, so that thousands of batches take a moment.
 */
class FramesOnMapSuite extends AnyFunSuite with AtNight {

  override protected def atNight: Seq[String] = Seq(
    "keys far ahead of the watermark are looked at",
    "a long far row"
  )

  import FramesOnMapSuite._

  /** Random batches under an ascending watermark, each window as it has to come out. */
  private def check(
      seed: Int,
      aggregates: FrameAggregates,
      batches: Int,
      rowsInBatch: Int = 30,
      grows: Boolean = false,
      isFarAhead: Boolean = false
  ): MapFrameStore = {
    val random = new Random(seed)
    val slide = (1 + random.nextInt(5)).toLong
    val framesInWindow = if (seed % 3 == 0 && !grows) 1 else 1 + random.nextInt(300)
    val grid =
      FrameGrid(slide * framesInWindow, slide, random.nextInt(5).toLong % slide, grows)
    val store = new MapFrameStore(findsByPrefix = seed % 2 == 0)
    val isByWindow = isShort(seed) && grid.isPlain
    val sent = mutable.ArrayBuffer.empty[Sent]
    var watermark = if (isFarAhead && seed % 4 == 0) -grid.size * 3 else grid.size * 2
    // Some have no watermark in their first batch.
    val begin = grid.lastEnd(watermark)
    var after = if (isFarAhead && seed % 5 == 0) NoWatermark else begin
    (1 to batches).foreach { batch =>
      // Of no row, of half of them, of all.
      val farRows = if (isFarAhead) random.nextInt(3) else 0
      val rows = Seq.fill(random.nextInt(rowsInBatch)) {
        // Not before the first window that is open.
        val first = grid.firstOpenFrame(math.max(after, begin))
        val isFar = farRows > random.nextInt(2)
        val ahead = if (isFar) (20 + random.nextInt(200)) * grid.slide else 0
        val time = first + random.nextInt(grid.size.toInt * 2) + ahead
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
      val until = if (after == NoWatermark && batch == 1) after else grid.lastEnd(watermark)
      val maxBytes = if (random.nextBoolean()) 1000L else Long.MaxValue
      val walks = store.walks
      val windows = iterator(rows, store, aggregates, grid, after, until, maxBytes, isShort(seed))
      withClue(s"seed $seed, batch $batch: ") {
        // The first frame has windows that end before `begin`.
        val from = math.max(after, begin - grid.size)
        assert(all(windows).sorted === expected(sent, grid, from, until).sorted)
        val isWalk = until > after && !(isByWindow && store.findsByPrefix)
        if (!isFarAhead) assert(store.walks - walks === (if (isWalk) 1 else 0))
        // Never too late, and not what is out already.
        if (until > after) {
          assert(windows.earliest <= nextEnd(sent, grid, until))
          assert(windows.earliest > until)
        } else assert(windows.earliest <= nextEnd(rows, grid, math.max(until, begin)))
        if (!isByWindow) checkRows(store, aggregates, grid, isShort(seed))
      }
      after = until
    }
    // When time has passed all rows, nothing of them is left.
    val end = grid.lastEnd(watermark + grid.size * 4 + grid.slide * 400)
    iterator(Nil, store, aggregates, grid, after, end, Long.MaxValue, isShort(seed))
      .foreach(_ => ())
    store
  }

  /** Whether the root lists each far row, and each chunk is of one row of its key. */
  private def checkRows(
      store: MapFrameStore,
      aggregates: FrameAggregates,
      grid: FrameGrid,
      isShort: Boolean
  ): Unit = {
    val entryFields = aggregates.entryType.size
    val short = Option.when(isShort)(new ShortRow(entryFields))
    val slots = EntrySlots(aggregates)
    val frames =
      new KeyFrames(store, slots, grid, 32, entryFields, aggregates.arePacked, short)
    val root = store.all.get(rootKey)
    val listed = root.toSeq.flatMap(frames.listed)
    val rows = store.all - rootKey
    rows.filter { case (key, _) => FrameStore.hasNumber(key) }.foreach { case (key, row) =>
      val end = grid.firstEndOver(frames.first(row))
      assert(listed.exists { case (bucket, first) =>
        bucket.has(end) && first <= end && FarRows.numberOf(bucket) == FrameStore.numberOf(key)
      })
    }
    val (chunks, others) = rows.partition { case (key, _) => FrameStore.isChunk(key) }
    val ids = others.toSeq.flatMap { case (key, row) =>
      frames.chunkIds(row).map(FrameStore.numbered(key, _))
    }
    assert(ids.size === ids.toSet.size)
    assert(ids.toSet === chunks.keySet)
  }

  /** All of them with `-Dtidegate.stores=all`. */
  private def seeds(all: Int): Range = 1 to (if (StateStoreKind.areAll) all else all / 8)

  test("packed entries: windows and what is left of the state are those of the model") {
    seeds(100).foreach(seed => assert(check(seed, counted, batches = 12).size === 0, s"seed $seed"))
  }

  test("entries that are objects: windows and what is left of the state are those of the model") {
    seeds(40).foreach(seed => assert(check(seed, listed, batches = 8).size === 0, s"seed $seed"))
  }

  test(
    "windows that grow, in chunks or not, and what is left of the state are those of the model"
  ) {
    Seq(counted, listed).foreach { aggregates =>
      seeds(16).foreach { seed =>
        // Enough rows for many chunks, in some cases.
        val rows = if (seed % 2 == 0) 30 else 600
        assert(check(seed, aggregates, batches = 12, rows, grows = true).size === 0, s"seed $seed")
      }
    }
  }

  test("keys far ahead of the watermark: windows, and what is left, are those of the model") {
    for (seed <- seeds(40); grows <- Seq(false, true); aggregates <- Seq(counted, listed)) {
      // Enough rows for far rows with chunks, in some cases.
      val rows = if (seed % 3 == 0) 600 else 30
      val store = check(seed, aggregates, batches = 12, rows, grows, isFarAhead = true)
      assert(store.size === 0, s"seed $seed")
    }
  }

  test("keys far ahead of the watermark are looked at a few times, however long it takes") {
    val grid = FrameGrid(20L, 10L, 0L)
    val keys = 50
    def looks(findsByPrefix: Boolean, framesOfKey: Int) = {
      val store = new MapFrameStore(findsByPrefix)
      val rows =
        for (key <- 1 to keys; frame <- 0 until framesOfKey)
          yield Sent(key.toLong, 10000L + 10 * key + 10 * frame, 1L, 0L)
      var found = 0
      (1L to 1250L).foreach { n =>
        val now = if (n == 1) rows else Nil
        found += all(
          iterator(now, store, counted, grid, 10 * n - 10, 10 * n, Long.MaxValue, isShort = false)
        ).size
      }
      assert(found === (framesOfKey + 1) * keys)
      assert(store.size === 0)
      store.shown
    }
    // Each key a few times when its first window is near, and at the end of each of its windows.
    assert(looks(findsByPrefix = true, framesOfKey = 1) <= 10 * keys)
    assert(looks(findsByPrefix = true, framesOfKey = 100) <= 110 * keys)
    assert(looks(findsByPrefix = false, framesOfKey = 1) > 1000 * keys)
  }

  test("a head that is not due for long becomes a far row, with its chunks") {
    val grid = FrameGrid(20L, 10L, 0L)
    val store = new MapFrameStore
    def run(after: Long, until: Long, rows: Sent*): Seq[Found] =
      all(iterator(rows, store, counted, grid, after, until, Long.MaxValue, isShort = false))
    // Near the first rows, a head takes all rows, also those of many chunks far ahead.
    val far = (1000L until 3000L by 10L).map(Sent(1, _, 1, 0))
    assert(run(0, 0, Sent(1, 5, 1, 0) +: far: _*) === Nil)
    assert(store.all.keys.count(FrameStore.isHead) === 1)
    assert(run(0, 20).size === 2)
    assert(store.all.keys.count(FrameStore.isHead) === 0)
    // The numbers of its chunks are not those of chunks of a new head.
    val near = (30L until 2000L by 10L).map(Sent(1, _, 1, 0))
    val found = run(20, 20, near: _*) ++ run(20, 900) ++ run(900, 1100) ++ run(1100, 3020)
    val counts = found.map(f => f.start -> f.count).toMap
    assert(counts.size === found.size)
    val rows = near ++ far
    (30L to 2990L by 10L).foreach { start =>
      val count = rows.count(row => row.time >= start && row.time < start + 20)
      assert(counts(start) === count, s"window at $start")
    }
    assert(store.size === 0)
  }

  test("buckets that share a number by chance keep their rows apart") {
    val grid = FrameGrid(20L, 10L, 0L)
    // The narrowest buckets have 16 µs, up to 4,096 µs ahead, and the next ones 128 µs.
    val (until, narrow, wide) = Iterator
      .from(1)
      .map(_.toLong << 17)
      .flatMap { until =>
        val byNumber = (33L until 256L)
          .map(i => until + (i << 7))
          .map(wide => FrameGrid.numberOf(7L, wide) -> wide)
          .toMap
        Iterator
          .range(16, 256)
          .map(i => until + (i.toLong << 4))
          .flatMap(narrow => byNumber.get(FrameGrid.numberOf(4L, narrow)).map((until, narrow, _)))
      }
      .next()
    def firstTime(bucket: Long) = (bucket + 9) / 10 * 10 - 10
    val (near, far) = (firstTime(narrow), firstTime(wide))
    for (maxBytes <- Seq(Long.MaxValue, 1L)) {
      val store = new MapFrameStore
      def run(after: Long, until: Long, rows: Sent*): Seq[Found] =
        all(iterator(rows, store, counted, grid, after, until, maxBytes, isShort = false))
      val now = grid.lastEnd(until)
      assert(run(now, now, Sent(1, near, 1, 0), Sent(2, far, 2, 0), Sent(3, near, 4, 0)) === Nil)
      assert(run(now, now, Sent(1, far, 8, 0)) === Nil)
      // A row for each key, of the one number, and the root.
      assert(store.all.keys.map(FrameStore.numberOf).toSet.size === 2)
      assert(store.size === 4)
      val first = run(now, near + 20, Sent(3, far, 16, 0))
      assert(first.map(f => f.key -> f.sum).toSet === Set(1L -> 1L, 3L -> 4L))
      val last = run(near + 20, far + 20)
      assert(last.map(f => f.key -> f.sum).toSet === Set(1L -> 8L, 2L -> 2L, 3L -> 16L))
      assert((first ++ last).size === 10)
      assert(store.size === 0)
    }
  }

  test("a long far row is not read when it becomes a head") {
    val grid = FrameGrid(20L, 10L, 0L)
    val store = new MapFrameStore
    def run(after: Long, until: Long, rows: Sent*): Seq[Found] =
      all(iterator(rows, store, counted, grid, after, until, Long.MaxValue, isShort = false))
    // Gaps of twenty windows between the rows of each key.
    val rows = for (key <- 1L to 20L; i <- 0 until 100) yield Sent(key, 1000L + 200L * i, 1, 0)
    assert(run(0, 0, rows: _*) === Nil)
    val (puts, gets) = (store.puts, store.gets)
    val found = (1 to 2150).flatMap(n => run(10L * n - 10, 10L * n))
    assert(found.size === 2 * rows.size)
    assert(store.size === 0)
    // A key is far and a head again for each of its rows; each batch may write the root.
    assert(store.puts - puts <= 4 * rows.size + 2150)
    assert(store.gets - gets <= 8 * rows.size + 4 * 2150)
  }

  test("a batch writes a key once, however far its rows reach") {
    val grid = FrameGrid(20L, 10L, 0L)
    for (first <- Seq(5L, 500L)) {
      val store = new MapFrameStore
      val rows = (0 until 1000).map(i => Sent(1, first + 10 * i, 1, 0))
      all(iterator(rows, store, counted, grid, 0, 0, Long.MaxValue, isShort = false))
      // Chunks of 32 frames, the key, and the root if the key is far.
      assert(store.puts <= 1000 / 32 + 2)
    }
  }

  test("rows of a window that the state does not have are not looked up") {
    val grid = FrameGrid(10L, 10L, 0L)
    for (findsByPrefix <- Seq(true, false)) {
      val store = new MapFrameStore(findsByPrefix)
      def looks(maxBytes: Long, times: Long*): Int = {
        val before = store.gets
        val rows = for (time <- times; key <- 1L to 20L) yield Sent(key, time, 1L, 0L)
        assert(all(iterator(rows, store, counted, grid, 0, 0, maxBytes, isShort = true)) === Nil)
        store.gets - before
      }
      val inFirstRound = Seq(looks(Long.MaxValue, 5, 15), looks(Long.MaxValue, 15, 25))
      assert(inFirstRound === (if (findsByPrefix) Seq(0, 20) else Seq(40, 40)))
      // Later rounds come to rows that the rounds before them have written.
      assert(looks(1000L, 35, 35, 45) > 20)
      val found = all(iterator(Nil, store, counted, grid, 0, 50, Long.MaxValue, isShort = true))
      val counts = found.groupBy(_.start).map { case (start, of) => start -> of.map(_.count) }
      assert(
        counts === Map(0L -> 1L, 10L -> 2L, 20L -> 1L, 30L -> 2L, 40L -> 1L)
          .map { case (start, count) => start -> Seq.fill(20)(count) }
      )
    }
  }

  test("windows that share a number by chance are those of the model") {
    val grid = FrameGrid(1L, 1L, 0L)
    val seen = mutable.Map.empty[Int, Long]
    val (first, second) = Iterator
      .from(1)
      .map(_.toLong)
      .map(end => seen.put(grid.numberOf(end), end).map(_ -> end))
      .collectFirst { case Some(pair) => pair }
      .get
    Seq(counted, listed).foreach { aggregates =>
      val store = new MapFrameStore
      def run(after: Long, until: Long, rows: Sent*): Seq[Found] = all(
        iterator(rows, store, aggregates, grid, after, until, Long.MaxValue, isShort = true)
      )
      // The rows of a window are those of the moment before its end.
      assert(run(0, 0, Sent(1, second - 1, 5, 0), Sent(2, second - 1, 6, 0)) === Nil)
      assert(run(0, 0, Sent(1, first - 1, 7, 0), Sent(3, first - 1, 8, 0)) === Nil)
      assert(store.size === 3)
      val both = run(first - 1, first)
      assert(both.toSet === Set(Found(1, first - 1, 1, 7), Found(3, first - 1, 1, 8)))
      assert(run(second - 2, second - 1, Sent(1, second - 1, 9, 0)) === Nil)
      val last = run(second - 1, second)
      assert(last.toSet === Set(Found(1, second - 1, 2, 14), Found(2, second - 1, 1, 6)))
      assert(store.size === 0)
    }
  }

  test("near the end of time, windows are found, and so is the next end") {
    val end = Long.MaxValue
    for {
      frames <- Seq(1, 2, 4)
      isShort <- Seq(true, false)
      findsByPrefix <- Seq(true, false)
    } {
      val grid = FrameGrid(10L * frames, 10L, 0L)
      val store = new MapFrameStore(findsByPrefix)
      def run(after: Long, until: Long, rows: Sent*): Seq[Found] = {
        val (closed, due) = (grid.lastEnd(after), grid.lastEnd(until))
        val windows =
          iterator(rows, store, counted, grid, closed, due, Long.MaxValue, isShort)
        val found = all(windows)
        assert(windows.earliest > due || due == end)
        found
      }
      val sent = Seq(Sent(1, end - 2000, 1, 0), Sent(2, end - 100, 2, 0), Sent(3, end - 1, 3, 0))
      val steps = Seq(3000L, 2990L, 1500L, 60L, 40L, 20L)
      val first = run(end - 3001, end - 3000, sent: _*)
      val found = first ++ steps.zip(steps.tail).flatMap { case (from, to) =>
        run(end - from, end - to)
      }
      assert(found.map(_.sum).sum === 1 * frames + 2 * frames)
      assert(run(end - 20, end).map(_.sum).toSet === Set(3L))
      assert(store.size === 0)
    }
  }

  test("rows move to where other windows have them, also if windows share a number") {
    val (before, now) = (FrameGrid(10L, 10L, 0L), FrameGrid(7L, 7L, 0L))
    def nowEnd(end: Long) = now.lastEndOver(now.frameOf(end - 1))
    val ends = (1L to 200000L).map(_ * 10)
    val byNumber = ends.map(end => before.numberOf(end) -> end).toMap
    val shared = ends.flatMap(e => byNumber.get(now.numberOf(nowEnd(e))).map(e -> _))
    assert(shared.nonEmpty)
    shared.foreach { case (end, other) =>
      val store = new MapFrameStore
      val sent = Seq(end, other).distinct.zipWithIndex.map { case (e, i) =>
        Sent(1, e - 1, 1L + i, 0)
      }
      all(iterator(sent, store, counted, before, 0, 0, Long.MaxValue, isShort = true))
      val expected = sent.groupMapReduce(s => nowEnd(s.time + 1) - 7)(_.value)(_ + _)
      def run(until: Long): Map[Long, Long] = all(
        iterator(Nil, store, counted, now, 0, until, Long.MaxValue, isShort = true, restores = true)
      ).map(f => f.start -> f.sum).toMap
      assert(run(0) === Map.empty)
      // Each where it is looked for.
      val numbers = store.all.keys.map(FrameStore.numberOf).toSet
      assert(numbers === expected.keySet.map(start => now.numberOf(start + 7)))
      assert(run(now.lastEnd(ends.last + 100)) === expected)
      assert(store.size === 0)
    }
  }

  test("rows move to where other windows have them") {
    Seq(counted, listed).foreach(what => seeds(60).foreach(seed => checkMoves(seed, what)))
  }

  /** Several runs over one state that began with windows that do not overlap. */
  private def checkMoves(seed: Int, aggregates: FrameAggregates): Unit = {
    val random = new Random(seed)
    val store = new MapFrameStore(findsByPrefix = random.nextBoolean())
    var sent = Seq.empty[Sent]
    var watermark = 1000L
    var grid = FrameGrid(10L, 10L, 0L)
    (0 to 3).foreach { run =>
      val before = grid
      val slide = 1L + random.nextInt(20)
      val frames = if (run == 0 || random.nextBoolean()) 1 else 2 + random.nextInt(100)
      grid = FrameGrid(slide * frames, slide, random.nextInt(slide.toInt).toLong)
      val start = grid.lastEnd(watermark)
      // Frames go where they end. Those of windows that are out may be there, or not.
      sent = sent.collect {
        case row if before.lastEndOver(before.frameOf(row.time)) > before.lastEnd(watermark) =>
          row.copy(time = before.frameOf(row.time) + before.slide - 1, closed = start)
      }
      var after = start
      (1 to 3).foreach { batch =>
        val rows = Seq.fill(random.nextInt(if (seed % 4 == 0) 400 else 30)) {
          val time = grid.firstOpenFrame(after) + random.nextInt(2000)
          Sent(random.nextInt(3).toLong, time, random.nextInt(100).toLong, after)
        }
        sent ++= rows
        watermark += random.nextInt(300)
        val until = grid.lastEnd(watermark)
        val bytes = if (random.nextBoolean()) 1000L else Long.MaxValue
        val restores = batch == 1
        val windows =
          iterator(rows, store, aggregates, grid, after, until, bytes, isShort = true, restores)
        def exact(found: Seq[Found]) = found.filter(_.start >= start).sorted
        withClue(s"seed $seed, run $run, batch $batch: ") {
          assert(exact(all(windows)) === exact(expected(sent, grid, after, until)))
          assert(store.all.keys.forall(isIn(grid, store)))
          if (until > after) assert(windows.earliest <= nextEnd(sent, grid, until))
        }
        after = until
        if (grid.isPlain && seed % 2 == 0 && batch == 3) inOneRow(store, aggregates, grid, after)
      }
    }
    val end = grid.lastEnd(watermark + 100000)
    val last = grid.lastEnd(watermark)
    iterator(
      Nil,
      store,
      aggregates,
      grid,
      last,
      end,
      Long.MaxValue,
      isShort = true,
      restores = true
    )
      .foreach(_ => ())
    assert(store.size === 0)
  }

  /** Whether the windows of a run have such a row: windows that overlap only with a root. */
  private def isIn(grid: FrameGrid, store: MapFrameStore)(key: UnsafeRow): Boolean = {
    val hasRoot = store.all.contains(rootKey)
    if (grid.isPlain) FrameStore.hasNumber(key) && !hasRoot
    else !FrameStore.hasNumber(key) || hasRoot
  }

  /** The rows of each key in one row of the state, as earlier versions had them. */
  private def inOneRow(
      store: MapFrameStore,
      aggregates: FrameAggregates,
      grid: FrameGrid,
      closed: Long
  ): Unit = {
    val slots = EntrySlots(aggregates)
    val short = Some(new ShortRow(aggregates.entryType.size))
    def frames() =
      new KeyFrames(store, slots, grid, 4, aggregates.entryType.size, aggregates.arePacked, short)
    new MovedRows(store, slots, () => frames(), rootKey, closed)
      .run((key, _) => FrameStore.setHead(key))((key, _) => FrameStore.hasNumber(key))
  }
}

object FramesOnMapSuite {

  /** The end of the last window that is out as long as there is no watermark. */
  private val NoWatermark = DropLate.LowestMs * 1000

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
      store: StateRows,
      aggregates: FrameAggregates,
      grid: FrameGrid,
      after: Long,
      until: Long,
      maxBytes: Long,
      isShort: Boolean,
      restores: Boolean = false
  ): FrameWindowIterator = {
    val input = rows.iterator.map(partial(aggregates, grid))
    new FrameWindowIterator(
      input,
      store,
      aggregates,
      grid,
      after,
      until,
      maxBytes,
      isShort,
      restores,
      rootKey
    )
  }

  private val rootKey = FrameStore.rootKey(fromAttributes(counted.stateKey))

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
