package tidegate.own.asof

import scala.collection.mutable
import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.streaming.state.UnsafeRowPair
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite
import tidegate.AtNight
import tidegate.core.due.DueKeys
import tidegate.own.StateRows
import tidegate.own.due.{ChunkedKeys, StateDuePages}

/**
 * The as-of join against a model that never forgets a version, on random batches: without Spark's
 * plan, and with small chunks and few rows in memory, so that keys have many chunks.
 */
class AsOfModelSuite extends AnyFunSuite with AtNight {

  override protected def atNight: Seq[String] = Seq("waiting rows of one key")

  import AsOfModelSuite._

  private val cases = AtNight.cases(few = 6, all = 200)

  private def check(isOuter: Boolean, seed: Int): Unit = {
    val random = new Random(seed)
    val sizes = AsOfSizes(
      chunkRows = 1 + random.nextInt(3),
      chunkBytes = if (random.nextInt(3) == 0) 100 else 1 << 16,
      chunksOfASize = 1 + random.nextInt(4),
      rowsAtOnce = 1 + random.nextInt(5)
    )
    val tolerance = Option.when(random.nextInt(2) == 0)(random.nextInt(30).toLong)
    val join = new Join(isOuter, tolerance, sizes)
    val model = new Model(isOuter, tolerance)
    var (left, right) = (-50L, -50L)
    var n = 0
    val keys = 1 + random.nextInt(4)
    (1 to 25).foreach { batch =>
      def rows(watermark: Long) = Seq.fill(random.nextInt(15)) {
        n += 1
        Row(
          if (random.nextInt(12) == 0) None else Some(random.nextInt(keys)),
          if (random.nextInt(12) == 0) None else Some(watermark + random.nextInt(40)),
          n
        )
      }
      val (lefts, rights) = (rows(left), rows(right))
      // In the last batch time jumps; and it may stand still.
      def advance(w: Long) =
        if (batch == 25) 1L << 40 else w + random.nextInt(3) * random.nextInt(15)
      left = advance(left)
      right = advance(right)
      val limits = AsOfLimits(right - 1, math.min(left, right) - 1)
      withClue(s"outer $isOuter, seed $seed, batch $batch: ") {
        assert(join.batch(lefts, rights, limits) === model.batch(lefts, rights, limits))
        assert(join.versions <= join.most(model, limits.passed))
      }
    }
    join.checkEnd(keys)
  }

  for (isOuter <- Seq(true, false))
    test(s"the same rows in each batch as a model that forgets nothing, outer: $isOuter") {
      (1 to cases).foreach(check(isOuter, _))
    }

  test("of versions of one time the greatest is found, whichever came first, from a chunk too") {
    val join = new Join(isOuter = false, None, AsOfSizes(chunkRows = 1))
    val versions = (0 until 9).map(i => Row(Some(0), Some(i.toLong), 3 * i + 1))
    join.batch(Nil, versions, AsOfLimits(-1, -1))
    assert(join.chunks > 3)
    val again = Seq(Row(Some(0), Some(1), 100), Row(Some(0), Some(2), 4), Row(Some(0), Some(8), 1))
    join.batch(Nil, again, AsOfLimits(-1, -1))
    val lefts = Seq(Row(Some(0), Some(1), 3), Row(Some(0), Some(2), 6), Row(Some(0), Some(20), 9))
    assert(join.batch(lefts, Nil, AsOfLimits(30, -1)) === Seq("3 100", "6 7", "9 25"))
  }

  test("a batch reads and writes what changes, whatever is held") {
    val join = new Join(isOuter = false, None, AsOfSizes())
    val versions = (0 until 3000).map(key => Row(Some(key), Some(0), 1))
    join.batch(Nil, versions, AsOfLimits(-1, -1))
    val before = join.store.touched
    join.batch(Seq(Row(Some(7), Some(5), 1)), Nil, AsOfLimits(10, 10))
    assert(join.store.touched - before < 20)
  }

  test("waiting rows of one key that leave one by one are not written again and again") {
    val join = new Join(isOuter = true, None, AsOfSizes())
    val rows = (0 until 600).map(i => Row(Some(0), Some(i.toLong), i))
    rows.grouped(100).foreach(join.batch(_, Nil, AsOfLimits(-1, -1)))
    val before = join.store.written
    val left = (0 until 600).flatMap(i => join.batch(Nil, Nil, AsOfLimits(i.toLong, -1)))
    assert(left === rows.map(r => s"${r.n} -"))
    assert(join.store.written - before < 600 * 9000L)
    assert(join.store.held(StateDuePages.isPage) === 0)
  }
}

object AsOfModelSuite {
  private final case class Row(key: Option[Int], time: Option[Long], n: Int)

  private def columns(side: String) =
    Seq("key" -> IntegerType, "time" -> TimestampType, "n" -> IntegerType).map {
      case (name, dataType) => AttributeReference(s"${side}_$name", dataType)()
    }

  private val (left, right) = (columns("left"), columns("right"))

  /** Pairs whose numbers have a sum that can be divided by 3 are none. */
  private val condition = Not(EqualTo(Remainder(Add(left(2), right(2)), Literal(3)), Literal(0)))

  private final class Join(isOuter: Boolean, tolerance: Option[Long], sizes: AsOfSizes) {
    val store = new MapStore
    private val keySchema = ChunkedKeys.schema(Seq(left.head))
    private val valueSchema = AsOfStateSchema.value(left, right, keySchema)
    private var before = AsOfLimits(Long.MinValue, Long.MinValue)

    def batch(lefts: Seq[Row], rights: Seq[Row], limits: AsOfLimits): Seq[String] = {
      val task = AsOfTask(
        Pair(AsOfColumns(left, Seq(left.head), 1), AsOfColumns(right, Seq(right.head), 1)),
        Some(condition),
        isOuter,
        tolerance,
        limits,
        before,
        left ++ right,
        keySchema,
        valueSchema,
        sizes
      )
      def due(line: Int, now: Long) =
        new DueKeys(new StateDuePages(store, keySchema, valueSchema, line), now)
      val dues = Pair(due(0, before.decided), due(1, before.passed))
      before = limits
      val results = task.over(store, dues, Pair(input(lefts), input(rights)))
      results.map(r => s"${r.getInt(2)} ${if (r.isNullAt(5)) "-" else r.getInt(5)}").toVector.sorted
    }

    private def input(rows: Seq[Row]): Iterator[InternalRow] =
      rows.sortBy(_.key).iterator.map(r => InternalRow(r.key.orNull, r.time.orNull, r.n))

    private def heads =
      store.all.filter { case (key, _) => key.isNullAt(0) && !StateDuePages.isPage(key) }.values

    def chunks: Int =
      store.held(key => !key.isNullAt(ChunkedKeys.Chunk) && !StateDuePages.isPage(key))

    /** How many versions there are, or less. */
    def versions: Int = heads.map { head =>
      if (head.isNullAt(AsOfStateSchema.Right)) 0
      else head.getArray(AsOfStateSchema.Right).numElements()
    }.sum

    /** How many versions there may be. */
    def most(model: Model, passed: Long): Int = model.needed(passed)

    /** At the end of time each key has its last version; with a tolerance nothing. */
    def checkEnd(keys: Int): Unit = {
      assert(store.held(StateDuePages.isPage) == 0)
      val expected = if (tolerance.isDefined) 0 else keys
      assert(heads.size <= expected)
      assert(chunks <= expected)
    }
  }

  private final class Model(isOuter: Boolean, tolerance: Option[Long]) {
    private val versions = mutable.Map.empty[(Int, Long), Int]
    private var waiting = Seq.empty[Row]

    def batch(lefts: Seq[Row], rights: Seq[Row], limits: AsOfLimits): Seq[String] = {
      // As the operator, in the order of keys; of one key in the order of arrival.
      for (r <- rights; key <- r.key; time <- r.time)
        versions((key, time)) = math.max(r.n, versions.getOrElse((key, time), r.n))
      val (known, others) = lefts.partition(r => r.key.isDefined && r.time.isDefined)
      val (decided, rest) = (waiting ++ known).partition(_.time.exists(_ <= limits.decided))
      waiting = rest
      val pairs = decided.map(r => r -> found(r)) ++ others.map(_ -> None)
      pairs.collect {
        case (r, Some(version))   => s"${r.n} $version"
        case (r, None) if isOuter => s"${r.n} -"
      }.sorted
    }

    private def found(row: Row): Option[Int] = {
      val before = versions.collect {
        case ((key, time), n) if row.key.contains(key) && row.time.exists(time <= _) => time -> n
      }
      before
        .maxByOption(_._1)
        .filter { case (time, _) => tolerance.forall(t => row.time.exists(_ - t <= time)) }
        .map(_._2)
        .filter(n => (row.n + n) % 3 != 0)
    }

    /** How many versions some row may still find whose time has not passed. */
    def needed(passed: Long): Int = versions.keys
      .groupMap(_._1)(_._2)
      .values
      .map { times =>
        val newest = times.filter(_ <= passed + 1).maxOption.getOrElse(Long.MinValue)
        val oldest = tolerance.fold(newest)(t => math.max(newest, passed + 1 - t))
        times.count(_ >= oldest)
      }
      .sum
  }

  private final class MapStore extends StateRows {
    val all: mutable.Map[UnsafeRow, UnsafeRow] = mutable.Map.empty

    /** How often a row was read, written or removed. */
    var touched: Int = 0

    /** How many bytes were written. */
    var written: Long = 0

    def held(is: UnsafeRow => Boolean): Int = all.keys.count(is)

    override def get(key: UnsafeRow): UnsafeRow = {
      touched += 1
      all.getOrElse(key, null)
    }

    override def put(key: UnsafeRow, value: UnsafeRow, isNew: Boolean): Unit = {
      touched += 1
      // Pages do not say whether they are new.
      if (!StateDuePages.isPage(key)) assert(isNew != all.contains(key), "whether a row is new")
      all(key.copy()) = value.copy()
      written += value.getSizeInBytes
    }

    override def remove(key: UnsafeRow): Unit = {
      touched += 1
      assert(all.remove(key).isDefined, "a row was removed that is not there")
    }

    // The join finds its rows by their keys alone.
    override def rows: Iterator[UnsafeRowPair] = throw new UnsupportedOperationException

    override def findsByPrefix: Boolean = false

    override def withPrefix(prefix: UnsafeRow): Iterator[UnsafeRowPair] = rows

    override def hasPrefix(prefix: UnsafeRow): Boolean = rows.hasNext
  }
}
