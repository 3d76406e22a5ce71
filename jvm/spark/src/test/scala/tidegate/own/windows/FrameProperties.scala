package tidegate
package own.windows

import java.time.ZoneId

import scala.util.Random

import org.apache.spark.sql.tidegate.Feed
import org.apache.spark.sql.{DataFrame, Row}

/**
 * Random aggregations of random streams, with frames and by Spark's plan, both against a model that
 * keeps the rows of every window.
 *
 * Random windows, keys, aggregates, orders of arrival, cuts into batches, stops, kills and state
 * stores, all of them by the seed in the title. `-Dtidegate.cases=100` tries more of them.
 */
class FrameProperties extends FrameTest {
  private val cases = AtNight.cases(few = 4, all = 30)

  for (seed <- 1 to cases) {
    val store = StateStoreKind.all(seed % StateStoreKind.all.size)
    test(s"seed $seed: frames, Spark's plan and the model agree, on ${store.name}") {
      val random = new FrameCases(new Random(seed))
      val query = random.query()
      val run = random.run(query)
      withClue(s"seed $seed, $query, $run: ") {
        // A third of them group their rows in many rounds.
        val bytes = if (seed % 3 == 0) "200b" else "64m"
        withConf("spark.tidegate.windows.maxInputBytes" -> bytes)(on(store)(check(query, run)))
      }
    }
  }

  private def check(query: FrameCase, run: FrameRun): Unit =
    withConf(
      "spark.sql.session.timeZone" -> run.zone,
      "spark.sql.shuffle.partitions" -> run.partitions.toString,
      "spark.sql.codegen.wholeStage" -> run.wholeStage.toString
    ) {
      AggregateCases.register(spark)
      val in = sentRows()
      val pair = new FramePair(query.frame(ordered(in, run)))
      process(pair, in, run)
      assert(marks(pair.on) === marks(pair.off))
      val found = pair.both.map(results(_, query.key.sql.size))
      val batches = modelBatches(pair.on, run.files)
      val model = query.model(ZoneId.of(run.zone)).run(batches)
      val late = model.late.values.sum
      assert(pair.both.map(pair.lateRows) === Seq(late, late))
      batches.foreach(batch => withClue(s"$batch: ")(compare(query, found, model, batch.id)))
    }

  private def ordered(in: Feed[Row], run: FrameRun): DataFrame =
    SentRow
      .derived(in.toDF())
      .withKeyedWatermark(
        "time",
        s"${run.lagMs} milliseconds",
        substream = Seq("sub"),
        emission = if (run.step) byMinStep("1 millisecond") else null
      )

  private def process(pair: FramePair, in: Feed[Row], run: FrameRun): Unit =
    run.stages.foreach { stage =>
      stage.files.foreach(rows => in.addData(rows.map(_.row)))
      if (stage.kill.isDefined) {
        runOnce(pair.failIn(stage.kill))
        if (stage.forgets && pair.failed) pair.forgetLastOffset()
      }
      runOnce(pair.failIn(None))
    }

  private def runOnce(pair: FramePair): Unit = {
    pair.start().settle()
    assertFrames(pair.on)
    assert(pair.off.plan.forall(FrameTest.framesIn(_).isEmpty))
    pair.stop()
    ()
  }

  private def marks(run: CollectedBatches) =
    run.log.map(batch => (batch.id, batch.dataOffsets, batch.operators.values.toSeq))

  private def compare(
      query: FrameCase,
      found: Seq[Map[Long, Map[FrameKey, Seq[Any]]]],
      model: FrameResult,
      batch: Long
  ): Unit = {
    val expected = model.closed(batch).filter { case (_, rows) =>
      query.having.forall(_.model(rows))
    }
    val on = found.head.getOrElse(batch, Map.empty)
    val off = found.last.getOrElse(batch, Map.empty)
    assert(off.keySet === expected.keySet, "by Spark's plan")
    assert(on.keySet === expected.keySet, "with frames")
    for {
      (window, rows) <- expected
      (aggregate, i) <- query.aggregates.zipWithIndex
    } withClue(s"$window, ${aggregate.sql}: ") {
      val (a, b) = (on(window)(i), off(window)(i))
      aggregate.model.foreach(agrees(aggregate, _, rows, Seq(a, b)))
      if (!aggregate.isFree && aggregate.isStable(rows)) assert(alike(a, b), s"$a and $b")
    }
  }

  private def agrees(
      aggregate: AggregateCase,
      model: Seq[SentRow] => Any,
      rows: Seq[SentRow],
      found: Seq[Any]
  ): Unit = {
    val expected = model(rows)
    found.foreach { value =>
      val isRight = (aggregate.isFree, expected) match {
        case (true, values: Seq[_]) => values.exists(alike(value, _))
        case _                      => alike(value, expected)
      }
      assert(isRight, s"$value, the model has $expected")
    }
  }
}
