package tidegate.core.due

import org.scalatest.funsuite.AnyFunSuite

/** What due keys cost. */
class DueKeysSuite extends AnyFunSuite {

  private val second = 1000000L
  private val century = 3155760000L * second

  private def batch(pages: MapDuePages, now: Long)(body: DueKeys[String] => Unit): Unit = {
    val keys = new DueKeys(pages, now)
    body(keys)
    keys.flush()
  }

  private def filled(dues: Long*): MapDuePages = {
    val pages = new MapDuePages(100)
    batch(pages, 0)(keys => dues.foreach(due => keys.add(s"due at $due", due)))
    pages.reads = 0
    pages.writes = 0
    pages
  }

  private def taken(keys: DueKeys[String], limit: Long): List[String] =
    keys.takeUpTo(limit).map(_.key).toList

  test("a batch without keys whose limit does not move reads and writes nothing") {
    val pages = filled(5 * second)
    batch(pages, second)(_ => ())
    assert(pages.reads == 0 && pages.writes == 0)
  }

  test("a limit before the first entry reads the root alone, and writes nothing") {
    val pages = filled(5 * second, 100 * second)
    batch(pages, second)(keys => assert(taken(keys, 5 * second - 1) == Nil))
    assert(pages.reads == 1 && pages.writes == 0)
  }

  test("a limit that jumps by centuries costs as much as the buckets that exist") {
    val pages = filled(second, 3 * century)
    batch(pages, 0) { keys =>
      assert(taken(keys, 40 * century) == List("due at 1000000", s"due at ${3 * century}"))
    }
    assert(pages.reads == 3 && pages.writes == 3)
    assert(pages.pageCount == 0)
  }

  test("a key that is due in the batch in which it came is never written") {
    val pages = new MapDuePages(100)
    batch(pages, 0) { keys =>
      keys.add("a", second)
      assert(taken(keys, second) == List("a"))
    }
    assert(pages.writes == 0)
  }

  test("keys of several small batches come together in one page") {
    val pages = new MapDuePages(100)
    (1 to 31).foreach(i => batch(pages, 0)(_.add(s"$i", 10 * second)))
    assert(pages.pageCount == 1)
    (32 to 40).foreach(i => batch(pages, 0)(_.add(s"$i", 10 * second)))
    assert(pages.pageCount == 2)
    batch(pages, 0)(keys => assert(taken(keys, 10 * second).size == 40))
  }

  test("a time that has passed already is due with the next limit") {
    val pages = filled(-century, Long.MinValue)
    batch(pages, 7 * second)(keys => assert(taken(keys, 7 * second).size == 2))
    assert(pages.pageCount == 0)
  }

  test("entries that were not taken are not lost in silence") {
    val keys = new DueKeys(filled(second, second), 0)
    assert(keys.takeUpTo(second).hasNext)
    val failure = intercept[IllegalStateException](keys.flush())
    assert(failure.getMessage == "not all entries that are due were taken")
  }

  test("the buckets of every time hold the time, and are ahead of now or around it") {
    val edges = Seq(Long.MinValue, -century, -1L, 0L, 1L, second, century, Long.MaxValue)
    for (time <- edges; now <- edges) {
      val bucket = DueBucket.of(time, now)
      val in = math.max(time, now)
      assert(bucket.start <= in && (in - bucket.start) >>> bucket.bits == 0)
      assert(bucket.has(in) && !bucket.has(bucket.start - 1))
      assert(bucket == DueBucket.holding(in, bucket.bits))
    }
  }

  test("a bucket for a time is as wide, and not twice as wide") {
    assert(
      Seq(1L, 2L, 3L, 4L, 5L, 1024L, 1025L).map(DueBucket.bitsFor) == Seq(0, 1, 2, 2, 3, 10, 11)
    )
    assert(DueBucket.bitsFor(Long.MaxValue) == 63)
  }
}
