package tidegate.core.due

import scala.collection.mutable

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

/** Due keys against a sorted list, with a restart between every two batches. */
class DueKeysProperties extends AnyFunSuite with ScalaCheckPropertyChecks {
  import DueKeysProperties._

  test("each entry leaves once, in the first batch whose limit reaches its time") {
    forAll(Gen.listOf(batches), Gen.choose(1, 40), minSuccessful(500)) { (steps, capacity) =>
      val pages = new MapDuePages(capacity)
      val model = mutable.Buffer.empty[(String, Long)]
      var limit = 0L
      steps.foreach { step =>
        val keys = new DueKeys(pages, limit)
        step.added.foreach { case (key, due) => keys.add(key, due) }
        model ++= step.added
        step.limit.foreach { next =>
          val taken = keys.takeUpTo(next).map(e => (e.key, e.due)).toVector
          val (due, rest) = model.partition(_._2 <= next)
          assert(taken.sorted == due.sorted.toVector)
          model.clear()
          model ++= rest
          limit = next
        }
        keys.flush()
        assert(keys.earliest == model.map(_._2).minOption.getOrElse(Long.MaxValue))
        assert(keys.rows == pages.pageCount + (if (pages.bucketCount > 0) 1 else 0))
        assert(pages.bucketCount <= pages.pageCount)
      }
      val keys = new DueKeys(pages, limit)
      assert(keys.takeUpTo(Long.MaxValue).map(e => (e.key, e.due)).toVector.sorted == model.sorted)
      keys.flush()
      assert(pages.pageCount == 0 && pages.bucketCount == 0)
    }
  }

  test("keys that are added again while others are taken leave at their new time") {
    val later = Gen.choose(1L, 5000000L)
    forAll(Gen.nonEmptyListOf(later), Gen.choose(1, 40), later) { (dues, capacity, by) =>
      val pages = new MapDuePages(capacity)
      val first = new DueKeys(pages, 0)
      dues.zipWithIndex.foreach { case (due, i) => first.add(s"$i", due) }
      first.flush()
      var limit = 0L
      var seen = 0
      while (limit < 10000000) {
        val keys = new DueKeys(pages, limit)
        limit += 700000
        keys.takeUpTo(limit).foreach { e =>
          val (key, due) = (e.key, e.due)
          seen += 1
          assert(due <= limit)
          if (!key.endsWith("again")) keys.add(s"$key again", due + by)
        }
        keys.flush()
      }
      assert(seen >= dues.size)
      val rest = new DueKeys(pages, limit).takeUpTo(Long.MaxValue).size
      assert(seen + rest == 2 * dues.size)
    }
  }

  test("an entry is written a few times, however often the limit moves") {
    forAll(Gen.choose(0L, 1L << 50), Gen.choose(20, 300), minSuccessful(10)) { (start, step) =>
      val pages = new MapDuePages(64)
      val keys = new DueKeys(pages, start)
      val day = 86400L * 1000000
      (1 to 20000).foreach(i => keys.add(s"$i", start + i * (day / 20000)))
      keys.flush()
      assert(pages.bucketCount < 100)
      assert(pages.entriesWritten == 20000)
      var (limit, batches) = (start, 0)
      // A failure is shrunk to a limit that stands still.
      while (limit < start + day && step > 0) {
        val batch = new DueKeys(pages, limit)
        limit += step * 1000000L
        batches += 1
        batch.takeUpTo(limit).foreach(_ => ())
        batch.flush()
      }
      // Beside the few times: a bucket of one page is written again in each batch that opens it.
      assert(pages.entriesWritten < 20000 * 6 + batches * 64)
      assert(pages.pageCount == 0)
    }
  }
}

object DueKeysProperties {

  /** What comes in a batch, and its limit if the limit moves. */
  private final case class Batch(added: List[(String, Long)], limit: Option[Long])

  private val times: Gen[Long] = Gen.oneOf(
    Gen.choose(-5000L, 5000L),
    Gen.choose(-50000000L, 50000000L),
    Gen.choose(Long.MinValue, Long.MaxValue),
    Gen.oneOf(Long.MinValue, Long.MinValue + 1, -1L, 0L, Long.MaxValue - 1, Long.MaxValue)
  )

  private val batches: Gen[Batch] = for {
    added <- Gen.listOf(Gen.zip(Gen.alphaChar.map(_.toString), times))
    limit <- Gen.option(times)
  } yield Batch(added, limit)
}
