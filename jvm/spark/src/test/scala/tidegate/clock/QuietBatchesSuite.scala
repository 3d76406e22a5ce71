package tidegate
package clock

import java.nio.file.Files

import scala.util.Random

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.Trigger
import org.apache.spark.sql.tidegate.TestClock
import tidegate.own.{HarnessTest, OperatorHarness}
import tidegate.settings.Settings

/** A batch without rows runs only if an operator has something to do in it. */
class QuietBatchesSuite extends HeldQueries with HarnessTest {

  override protected def atNight: Seq[String] = Seq(
    "dropDuplicates, dropDuplicatesWithinWatermark",
    "a full outer join, a right",
    "with a restart: false",
    "late, killed: false",
    "time has passed a silent",
    "windows over sessions, a watermark"
  )

  override protected def lag: String = "1 second"

  override protected def span: String = "30 seconds"

  override protected def twoSpans: String = "60 seconds"

  private val queries: Seq[(String, Query)] = queriesOfOperators ++ Seq(
    "windows over sessions" -> over(
      _.groupBy(session_window(col("time"), "30 seconds"), col("n"))
        .count()
        .groupBy(window(window_time(col("session_window")), "60 seconds"))
        .count()
    ),
    "a watermark over windows" -> over(
      _.groupBy(window(col("time"), "30 seconds"), col("n"))
        .agg(max("time").as("last"))
        .withKeyedWatermark("last", "1 second", key = 1)
        .groupBy(window(col("last"), "60 seconds"))
        .count()
    )
  )

  private final class Twin(query: Query, onlyWhenDue: Boolean) {
    val (in, others) = (events(), events())
    val run = new Run(query(in.toDF(), others.toDF()))

    def start(): Unit =
      withConf(Settings.NoDataBatchesOnlyWhenDue.key -> onlyWhenDue.toString)(run.start()): Unit

    def send(rows: Seq[Event], right: Seq[Event]): Unit = {
      if (rows.nonEmpty) in.addData(rows)
      if (right.nonEmpty) others.addData(right)
      run.settle(): Unit
    }

  }

  /** A twin without a stream. */
  private final class HarnessTwin(query: Query, onlyWhenDue: Boolean) {
    private val (in, others) = (feed(), feed())

    val run: OperatorHarness =
      withConf(Settings.NoDataBatchesOnlyWhenDue.key -> onlyWhenDue.toString)(
        harness(query(in.toDF(), others.toDF())).start()
      )

    def send(rows: Seq[Event], right: Seq[Event]): Unit = {
      if (rows.nonEmpty) in.addData(rows)
      if (right.nonEmpty) others.addData(right)
      run.settle(): Unit
    }

    /** The rows without the batches in which they came, and the late rows. */
    def answer: (Seq[String], Map[String, Long]) = (run.answer, run.lateRows)
  }

  /** `make test-random` has more of them. */
  private val seeds = if (sys.props.contains("tidegate.cases")) 3 else 1

  /** One of each kind of operator; with `-Dtidegate.stores=all` all of them. */
  private val some: Seq[(String, Query)] = queries.filter { case (title, _) =>
    StateStoreKind.areAll || Set(
      "windows that slide",
      "sessions",
      "dropDuplicatesWithinWatermark",
      "event-time order",
      "a full outer join",
      "a watermark over windows"
    )(title)
  }

  /** Several queries as branches of one. */
  private def branches(of: Seq[(String, Query)]): Query =
    (rows, others) => Branches.of(of.map { case (title, query) => title -> query(rows, others) })

  /** The late rows of a query that is a branch for each operator. */
  private def lateOfEach(twin: Twin): Seq[Long] = {
    val late = twin.run.lateRows.values.toSeq
    assert(late.size === some.size)
    late.distinct
  }

  // A batch is left out if no branch needs it, so there are only a few of them.
  for (some <- queries.grouped(4))
    onBothStores(
      s"${some.map(_._1).mkString(", ")}: the same rows, and the same late rows, in fewer batches"
    ) {
      val query = branches(some)
      for (seed <- 1 to seeds) withClue(s"seed $seed: ") {
        val random = new Random(seed)
        val (few, many) = (
          new HarnessTwin(query, onlyWhenDue = true),
          new HarnessTwin(query, onlyWhenDue = false)
        )
        val twins = Seq(few, many)
        var now = 100.0
        for (_ <- 1 to 12) {
          now += (if (random.nextInt(5) == 0) 40.0 else random.nextInt(12).toDouble)
          def some(n: Int) =
            Seq.fill(random.nextInt(n))(event("a", now - random.nextInt(14), random.nextInt(4)))
          val (left, right) = (some(4), some(4))
          twins.foreach(_.send(left, right))
        }
        twins.foreach(_.send(Seq(event("a", 1000)), Seq(event("a", 1000))))
        assert(few.answer === many.answer)
        assert(few.answer._1.nonEmpty)
        assert(few.run.batchCount < many.run.batchCount)
      }
    }

  /**
   * Two substreams are silent and hold time, until they are idle: then time is at 199, and at 399.
   * In the first of these steps a run may still have to learn when something is due.
   */
  for (isRestarted <- Seq(false, true))
    onBothStores(s"time moves, and nothing is due; with a restart: $isRestarted") {
      val batches = for (onlyWhenDue <- Seq(true, false)) yield {
        val twin = new Twin(branches(some), onlyWhenDue)
        twin.start()
        val rows = Seq(event("a", 400), event("b", 100, 0))
        twin.send(rows, rows)
        if (isRestarted) {
          twin.run.stop()
          twin.start()
        }
        twin.run.clock.advance(50000)
        twin.send(Seq(event("c", 200, 0)), Seq(event("c", 200, 0)))
        twin.run.clock.advance(20000)
        twin.run.settle()
        assert(twin.run.watermark("time") === Some(199000L))
        val before = twin.run.batchCount
        twin.run.clock.advance(50000)
        twin.run.settle()
        assert(twin.run.watermark("time") === Some(399000L))
        val count = twin.run.batchCount - before
        // What is late is late in either case.
        twin.send(Seq(event("a", 100, 5)), Nil)
        assert(lateOfEach(twin) === Seq(1L))
        twin.run.stop()
        count
      }
      assert(batches === Seq(0, 1))
    }

  for (isKilled <- Seq(false, true))
    onBothStores(s"after a batch that was left out, the same rows are late, killed: $isKilled") {
      for (isRestarted <- Seq(false, true)) {
        val twin = new Twin(branches(some), onlyWhenDue = true)
        twin.start()
        // One row waits, ahead of the watermark, which then moves from 99 to 899.
        val rows = Seq(event("a", 1000), event("b", 100, 0))
        twin.send(rows, rows)
        twin.send(Seq(event("b", 900, 0)), Seq(event("b", 900, 0)))
        val before = twin.run.batchCount
        if (isRestarted) {
          if (isKilled) {
            twin.in.addData(event("a", 300, 5))
            twin.run.failIn = _ => true
            twin.run.awaitEnd()
            twin.run.failIn = _ => false
          } else {
            twin.run.stop()
            twin.in.addData(event("a", 300, 5))
          }
          twin.start()
          twin.run.settle()
        } else twin.send(Seq(event("a", 300, 5)), Nil)
        twin.run.stop()
        assert(twin.run.batchCount > before)
        assert(lateOfEach(twin) === Seq(1L))
      }
    }

  onBothStores("time has passed a silent substream, and stays there after a restart") {
    for (isRestarted <- Seq(false, true)) {
      val twin = new Twin(branches(some), onlyWhenDue = true)
      twin.start()
      val rows = Seq(event("a", 1000), event("b", 100, 0))
      twin.send(rows, rows)
      twin.run.clock.advance(50000)
      twin.send(Seq(event("a", 1000, 0)), Seq(event("a", 1000, 0)))
      // The substream b is idle, and nothing is due.
      twin.run.clock.advance(20000)
      twin.run.settle()
      assert(twin.run.watermark("time") === Some(999000L))
      if (isRestarted) {
        twin.run.stop()
        twin.start()
      }
      // Two batches.
      twin.send(Seq(event("b", 300, 5)), Nil)
      twin.send(Seq(event("b", 150, 6)), Nil)
      assert(twin.run.watermark("time") === Some(999000L))
      twin.run.stop()
      assert(lateOfEach(twin) === Seq(2L))
    }
  }

  onBothStores("a damaged file of a batch that was left out counts as none") {
    val twin = new Twin(over(_.orderByEventTime().toDF()), onlyWhenDue = true)
    twin.start()
    twin.send(Seq(event("a", 1000), event("b", 100, 0)), Nil)
    twin.send(Seq(event("b", 900, 0)), Nil)
    twin.run.stop()
    val file = twin.run.checkpoint.resolve("tidegate.skipped")
    assert(Files.exists(file))
    // As after a kill between the renames of a file and of its checksum.
    Files.writeString(file, Files.readString(file).replace("899000", "899001"))
    twin.start()
    twin.send(Seq(event("b", 950, 0)), Nil)
    assert(twin.run.watermark("time") === Some(949000L))
    twin.run.stop()
  }

  onBothStores("a row after a batch that was left out is in no window that it would have closed") {
    val found = for (onlyWhenDue <- Seq(true, false)) yield {
      val twin = new Twin(
        over(_.groupBy(window(col("time"), "60 seconds", "30 seconds"), col("n")).count()),
        onlyWhenDue
      )
      twin.start()
      twin.send(Seq(event("a", 100, 1)), Nil)
      twin.send(Seq(event("a", 200, 0)), Nil)
      val before = twin.run.batchCount
      // The window from 150 to 210 closes, and has no row.
      twin.send(Seq(event("a", 215, 0)), Nil)
      val batches = twin.run.batchCount - before
      twin.send(Seq(event("a", 205, 2)), Nil)
      twin.send(Seq(event("a", 1000, 0)), Nil)
      twin.run.stop()
      batches -> twin.run.answer
    }
    assert(found.map(_._1) === Seq(1, 2))
    assert(found.head._2 === found.last._2)
  }

  onBothStores("a batch that was left out before the query was set back makes no row late") {
    val query = over(_.orderByEventTime().toDF())
    val before = new Twin(query, onlyWhenDue = true)
    before.start()
    // After the second batch, the watermark moves to 899 without a batch.
    before.send(Seq(event("a", 1000), event("b", 100, 0)), Nil)
    before.send(Seq(event("b", 900, 0)), Nil)
    assert(before.run.watermark("time") === Some(899000L))
    before.run.stop()
    assert(Files.exists(before.run.checkpoint.resolve("tidegate.skipped")))
    Checkpoints.keepOffsets(before.run.checkpoint, 0, Nil)
    Checkpoints.keepCommits(before.run.checkpoint, 0)
    // Another second batch, and no run that leaves one out.
    val in = events()
    def run() =
      new Run(
        query(in.toDF(), in.toDF()),
        before.run.checkpoint,
        clock = new TestClock(1000007000L)
      )
    in.addData(event("a", 1000), event("b", 100, 0))
    in.addData(event("b", 120, 0))
    run().runOnce(Trigger.AvailableNow())
    in.addData(event("a", 300, 5), event("b", 301, 0))
    val again = run().start().settle()
    assert(again.lateRows === Map.empty)
    again.stop()
  }

  onBothStores("runs that end by themselves end with the time to which they have come") {
    val query = over(_.groupBy(session_window(col("time"), "30 seconds"), col("n")).count())
    val twin = new Twin(query, onlyWhenDue = true)
    def once(seconds: Double*): Unit = {
      twin.in.addData(seconds.map(event("a", _)))
      twin.run.runOnce(Trigger.AvailableNow()): Unit
    }
    once(100)
    once(200)
    once(118, 90)
    assert(twin.run.lateRows === Map("aggregate" -> 2L))
  }
}
