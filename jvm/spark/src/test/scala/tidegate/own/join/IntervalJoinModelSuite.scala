package tidegate.own.join

import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateOrdering
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite
import tidegate.AtNight
import tidegate.core.due.DueKeys
import tidegate.own.due.DueSchema

/**
 * The interval join against a model that has all rows in two lists, on random batches: without
 * Spark's plan, and with small chunks and few rows in memory, so that keys have many chunks.
 */
class IntervalJoinModelSuite extends AnyFunSuite with AtNight {

  override protected def atNight: Seq[String] = Seq("a hot key that gets few rows")

  import IntervalJoinModelSuite._

  private val cases = AtNight.cases(few = 10, all = 40)

  private val columns = Seq("left", "right").map { side =>
    Seq("key" -> IntegerType, "time" -> TimestampType, "n" -> IntegerType).map {
      case (name, dataType) => AttributeReference(s"${side}_$name", dataType)()
    }
  }

  private final class Operator(joinType: JoinType, least: Long, most: Long, sizes: JoinSizes) {
    val store = new MapJoinStore
    val pages: Sides[MapRowPages] = Sides(new MapRowPages, new MapRowPages)
    private val rules = JoinRules.of(joinType)
    private val time = SideTime(1, isWindow = false)
    private var before = Sides(Long.MinValue, Long.MinValue)

    def batch(rows: Sides[Seq[Row]], upTo: Sides[Long]): Seq[String] = {
      val dues = Sides(
        new DueKeys(pages.left, before.left),
        new DueKeys(pages.right, before.right)
      )
      before = upTo
      // The times are compared here, so that a wrong reach is found.
      val isPair = (pair: InternalRow) => {
        val by = pair.getLong(4) - pair.getLong(1)
        by >= least && by <= most && (pair.getInt(2) + pair.getInt(5)) % 3 != 0
      }
      val reach = Reach(least, most)
      val alone = new RowsAlone(Sides(3, 3))
      val join = new KeyJoin(
        store,
        rules,
        new Pairing(3, 3, isPair, reach, rules),
        reach,
        alone,
        Sides(time, time),
        upTo,
        sizes,
        dues
      )
      def input(isLeft: Boolean) = new SideInput(
        rows.of(isLeft).sortBy(_.key).iterator.map(r => InternalRow(r.key, r.time, r.n)),
        UnsafeProjection.create(Array[DataType](IntegerType, TimestampType, IntegerType)),
        UnsafeProjection.create(
          DueSchema.keyColumns(Seq(Literal(null, IntegerType), columns(if (isLeft) 0 else 1).head)),
          columns(if (isLeft) 0 else 1)
        ),
        _.getInt(2) % 5 != 0,
        time,
        rules.emitsUnmatched.of(isLeft),
        sizes
      )
      new IntervalJoinIterator(
        Sides(input(true), input(false)),
        GenerateOrdering.generate(
          Seq(SortOrder(BoundReference(1, IntegerType, nullable = true), Ascending))
        ),
        join,
        dues,
        upTo,
        alone,
        sizes
      ).map(text(_, joinType)).toVector.sorted
    }
  }

  private def text(row: InternalRow, joinType: JoinType): String = {
    def of(at: Int) = if (row.isNullAt(at)) "-" else row.getInt(at).toString
    if (joinType == LeftSemi || joinType == LeftAnti) of(2) else s"${of(2)} ${of(5)}"
  }

  private def check(joinType: JoinType, seed: Int): Unit = {
    val random = new Random(seed)
    val sizes = JoinSizes(
      chunkRows = 1 + random.nextInt(3),
      // A row has about 40 bytes.
      chunkBytes = if (random.nextInt(3) == 0) 100 else 1 << 16,
      chunksOfASize = 1 + random.nextInt(4),
      rowsAtOnce = 1 + random.nextInt(5)
    )
    val least = random.nextInt(40) - 20L
    val most = least + random.nextInt(30)
    val operator = new Operator(joinType, least, most, sizes)
    val model = new Model(joinType, least, most)
    var watermarks = Sides(-50L, -50L)
    var n = 0
    (1 to 25).foreach { batch =>
      def rows(watermark: Long) = Seq.fill(random.nextInt(12)) {
        n += 1
        Row(random.nextInt(3), watermark + random.nextInt(40), n)
      }
      val news = watermarks.map(rows)
      // In the last batch time jumps; and it may stand still.
      def advance(w: Long) =
        if (batch == 25) 1L << 40 else w + random.nextInt(3) * random.nextInt(15)
      watermarks = watermarks.map(advance)
      val upTo = Sides(watermarks.right - most - 1, watermarks.left + least - 1)
      withClue(s"$joinType, seed $seed, batch $batch: ") {
        assert(operator.batch(news, upTo) === model.batch(news, upTo))
      }
    }
    assert(operator.store.all.isEmpty, "rows that are left")
  }

  test("a chunk of which one side has passed waits for the other side, and is not written again") {
    val operator = new Operator(Inner, 0, 1000, JoinSizes(chunkRows = 2, rowsAtOnce = 100))
    def rows(first: Int) = (0 until 20).map(i => Row(0, i.toLong, first + i))
    val none = Sides(Seq.empty[Row], Seq.empty[Row])
    operator.batch(Sides(rows(1), rows(41)), Sides(-901L, 99L))
    val before = operator.store.puts
    assert(operator.store.chunks.size > 4)
    (1 to 10).foreach(i => operator.batch(none, Sides(i - 901L, i + 99L)))
    assert(operator.store.puts === before)
    operator.batch(none, Sides(1L << 40, 1L << 40))
    assert(operator.store.all.isEmpty)
  }

  test("rows that have found a partner leave, although one far ahead has none") {
    val operator = new Operator(FullOuter, 0, 0, JoinSizes(chunkRows = 4))
    def rows(n: Int) = (0 until 100).map(i => Row(0, i.toLong, n))
    operator.batch(Sides(rows(1), rows(6) :+ Row(0, 1L << 30, 6)), Sides(-1L, -1L))
    assert(operator.store.chunks.size > 40)
    operator.batch(Sides(Nil, Nil), Sides(200L, 200L))
    assert(operator.store.chunks.isEmpty)
    assert(operator.batch(Sides(Nil, Nil), Sides(1L << 40, 1L << 40)) === Seq("- 6"))
    assert(operator.store.all.isEmpty)
  }

  test("a row at the last of all times leaves once, from a chunk too") {
    val operator = new Operator(LeftOuter, 0, 0, JoinSizes(chunkRows = 1))
    val none = Seq.empty[Row]
    operator.batch(
      Sides(Seq(Row(0, Long.MaxValue, 1)), (1 to 9).map(i => Row(0, Long.MaxValue, 3 * i + 2))),
      Sides(-1L, -1L)
    )
    assert(operator.store.chunks.size > 1)
    def end() = operator.batch(Sides(none, Seq(Row(0, 5, 2))), Sides(Long.MaxValue, 0L))
    assert(end() === Seq("1 -"))
    assert(end() === Nil)
    operator.batch(Sides(none, none), Sides(Long.MaxValue, Long.MaxValue))
    assert(operator.store.all.isEmpty)
  }

  test("a hot key that gets few rows in each batch has chunks that grow with the rows it holds") {
    val operator = new Operator(Inner, 0, 0, JoinSizes(chunkRows = 4, chunksOfASize = 4))
    (0 until 4000).foreach { i =>
      operator.batch(
        Sides(Seq(Row(0, 3L * i, 1)), Seq(Row(0, 3L * i + 1, 1))),
        Sides(Long.MinValue, Long.MinValue)
      )
    }
    // With one chunk for each time that the head is full there would be about 900.
    assert(operator.store.chunks.size < 2 * math.sqrt(8000))
    assert(operator.store.written < 6 * operator.store.held, "each row is written a few times")
  }

  test("chunks with rows much out of order are written few times while their rows leave") {
    val random = new Random(1)
    val operator =
      new Operator(FullOuter, 2000, 2000, JoinSizes(chunksOfASize = Int.MaxValue))
    var n = 0
    def rows() = Seq.fill(100) {
      n += 1
      Row(0, random.nextInt(1000).toLong, 5 * n + 1)
    }
    (0 until 20).foreach(_ => operator.batch(Sides(rows(), rows()), Sides(-1L, -1L)))
    val written = operator.store.written
    val left = (0 until 1000).flatMap { i =>
      operator.batch(Sides(Seq.empty, Seq.empty), Sides(i.toLong, i.toLong))
    }
    assert(left.size === 4000)
    // Each time, some of the chunks lose a row.
    assert(operator.store.written < 3 * written)
    assert(operator.store.all.isEmpty)
  }

  for (joinType <- Seq(Inner, LeftOuter, RightOuter, FullOuter, LeftSemi, LeftAnti))
    test(s"$joinType: the same rows in each batch as a model that has them in lists") {
      (1 to cases).foreach(check(joinType, _))
    }
}

object IntervalJoinModelSuite {
  private final case class Row(key: Int, time: Long, n: Int)

  private final class Held(val row: Row) {
    var isMatched = false
  }

  /** What a join of each type emits in each batch, as Spark's operator does it. */
  private final class Model(joinType: JoinType, least: Long, most: Long) {
    private var held = Sides(Seq.empty[Held], Seq.empty[Held])

    def batch(news: Sides[Seq[Row]], upTo: Sides[Long]): Seq[String] = {
      val (alone, others) =
        (news.map(_.filter(_.n % 5 == 0)), news.map(_.filter(_.n % 5 != 0).map(new Held(_))))
      val lefts = held.left ++ others.left
      val rights = held.right ++ others.right
      val pairs = for {
        l <- lefts
        r <- rights
        if others.left.contains(l) || others.right.contains(r)
        if l.row.key == r.row.key && (l.row.n + r.row.n) % 3 != 0
        if r.row.time - l.row.time >= least && r.row.time - l.row.time <= most
      } yield (l, r)
      val first = pairs.map(_._1).distinct.filterNot(_.isMatched)
      pairs.foreach { case (l, r) =>
        l.isMatched = true
        r.isMatched = true
      }
      val (goneLeft, left) = lefts.partition(_.row.time <= upTo.left)
      val (goneRight, right) = rights.partition(_.row.time <= upTo.right)
      held = Sides(left, right)
      val unmatchedLeft = alone.left ++ goneLeft.filterNot(_.isMatched).map(_.row)
      val unmatchedRight = alone.right ++ goneRight.filterNot(_.isMatched).map(_.row)
      val ofPairs = pairs.map { case (l, r) => s"${l.row.n} ${r.row.n}" }
      val onlyLeft = unmatchedLeft.map(r => s"${r.n} -")
      val onlyRight = unmatchedRight.map(r => s"- ${r.n}")
      (joinType match {
        case LeftOuter  => ofPairs ++ onlyLeft
        case RightOuter => ofPairs ++ onlyRight
        case FullOuter  => ofPairs ++ onlyLeft ++ onlyRight
        case LeftSemi   => first.map(_.row.n.toString)
        case LeftAnti   => unmatchedLeft.map(_.n.toString)
        case _          => ofPairs
      }).sorted
    }
  }
}
