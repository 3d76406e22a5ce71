package tidegate
package own.order

import scala.util.Random

/**
 * Pages with few rows, in random batches that restart and run again, against a sorted list.
 * `-Dtidegate.cases=100` tries more of them.
 */
class PagedRowsSuite extends OrderTest {
  private val cases = AtNight.cases(few = 1, all = 3)

  for {
    store <- StateStoreKind.tested
    seed <- 1 to cases
  } test(s"seed $seed: random batches leave as from a sorted list, on ${store.name}") {
    withConf(store.conf.toSeq: _*) {
      withClue(s"seed $seed: ")(check(new Random(seed)))
    }
  }

  private def check(random: Random): Unit = {
    def upTo(n: Int) = 1 + random.nextInt(n)
    val sizes = PageSizes(upTo(4), 50 * upTo(8), upTo(60), 100 * upTo(50), 1 + upTo(3))
    val rows = new RandomRows(random)
    val partition = new PagesPartition(spark, newCheckpoint(), sizes)
    var waiting = Seq.empty[SentToPages]
    var (taken, sentInAll, leftInAll) = (Long.MinValue, 0, 0)
    for (batchId <- 0L until 40L) {
      val sent = rows.batch(batchId)
      val limit =
        if (batchId == 39L) Some(Long.MaxValue)
        else Option.when(random.nextInt(3) > 0)(rows.limit(batchId))
      limit.foreach(micros => taken = math.max(taken, micros))
      val (due, rest) = (waiting ++ sent).partition(limit.isDefined && _.micros <= taken)
      waiting = rest
      if (random.nextInt(3) == 0) partition.restart()
      // A batch runs again where its commit was not noted.
      val times = if (random.nextInt(4) == 0) 2 else 1
      (1 to times).foreach { _ =>
        withClue(s"$sizes, batch $batchId up to $limit: ") {
          val result = partition.run(batchId, sent, limit)
          assert(result.left === due.sortBy(_.micros))
          assert(result.waiting === rest.size)
          if (rest.isEmpty) assert(result.stored === 0)
          else assert(result.stored > 1 && result.stored <= 1 + rest.size)
        }
      }
      // A state without rows remembers nothing.
      if (rest.isEmpty) taken = Long.MinValue
      sentInAll += times * sent.size
      leftInAll += times * due.size
    }
    assert(leftInAll > 10)
    assert(partition.updated.value === sentInAll)
    assert(partition.removed.value === leftInAll)
  }

  test("many small batches of a long time: few rows of the state, and few that leave in vain") {
    val random = new Random(3)
    withConf(StateStoreKind.rocks.conf.toSeq: _*) {
      val partition = new PagesPartition(spark, newCheckpoint(), PageSizes(rows = 8, open = 4))
      var waiting = Seq.empty[SentToPages]
      for (batchId <- 0L until 120L) {
        // A hundred batches wait for each other.
        val sent = Seq.fill(4)(SentToPages(batchId + random.nextInt(100), batchId.toInt, "x"))
        val (due, rest) = (waiting ++ sent).partition(_.micros <= batchId)
        waiting = rest
        val result = partition.run(batchId, sent, Some(batchId))
        assert(result.left === due.sortBy(_.micros))
        if (batchId > 100) assert(result.stored < waiting.size / 2)
      }
    }
  }

  test("numbers of rows are sorted by times, and those of one time ascend") {
    val random = new Random(5)
    for (n <- Seq(0, 1, 2, 15, 16, 17, 32, 33, 1000, 4097)) {
      val times = Array.fill(n + 3)(random.nextInt(1 + n / 3).toLong - n / 6)
      assert(StableSort(times, n).toSeq === (0 until n).sortBy(times(_)))
    }
  }
}

/** Rows of random times: many of one time, some far apart, before 1970 and at the ends of time. */
private final class RandomRows(random: Random) {
  private val spread = 1 + random.nextInt(60)
  private val step = random.nextInt(4)
  private val most = Seq(3, 12, 60)(random.nextInt(3))
  private val hasExtremes = random.nextBoolean()
  private val start = Seq(0L, -50L, 1700000000000000L)(random.nextInt(3))
  private var id = 0

  def batch(batchId: Long): Seq[SentToPages] = Seq.fill(random.nextInt(most)) {
    id += 1
    val text = if (random.nextInt(5) == 0) null else "x" * random.nextInt(80)
    SentToPages(time(batchId), id, text)
  }

  def limit(batchId: Long): Long = start + batchId * step + random.nextInt(spread) - spread / 4

  private def time(batchId: Long): Long = random.nextInt(40) match {
    case 0 if hasExtremes => Long.MinValue
    case 1 if hasExtremes => Long.MaxValue
    case _                => start + batchId * step + random.nextInt(spread)
  }
}
