package tidegate
package own.sessions

import java.sql.Timestamp
import java.time.ZoneId

import scala.util.Random

import org.apache.spark.sql.functions._
import org.apache.spark.sql.tidegate.Feed
import org.apache.spark.sql.{DataFrame, Row}
import tidegate.own.windows._

/**
 * Random aggregations of sessions of random streams, by Tidegate's operator and by Spark's, both
 * against a model that keeps the rows of every session.
 *
 * Random gaps, keys, aggregates, orders of arrival, cuts into batches, stops, kills and state
 * stores, all of them by the seed in the title. `-Dtidegate.cases=100` tries more of them.
 */
class SessionProperties extends FrameTest {
  private val cases = AtNight.cases(few = 4, all = 30)

  override def setting: String = "spark.tidegate.sessions.enabled"

  for (seed <- 1 to cases) {
    val store = StateStoreKind.all(seed % StateStoreKind.all.size)
    test(s"seed $seed: both operators and the model agree, on ${store.name}") {
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
      val pair = new FramePair(sessions(query, ordered(in, run)))
      process(pair, in, run)
      val batches = modelBatches(pair.on, run.files)
      val (closed, late) =
        new SessionModel(query.slideMs, query.key.model(_, ZoneId.of(run.zone))).run(batches)
      val lateRows = late.values.sum
      assert(pair.both.map(pair.lateRows) === Seq(lateRows, lateRows))
      batches.foreach { batch =>
        withClue(s"$batch: ") {
          val found = pair.both.map(sessionsOf(_, query).getOrElse(batch.id, Map.empty))
          compare(query, closed(batch.id), found.head, found.last)
        }
      }
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

  private def sessions(query: FrameCase, input: DataFrame): DataFrame = {
    val keys = query.key.sql.zipWithIndex.map { case (sql, i) => s"$sql AS key$i" }
    val names = keys.indices.map(i => s"key$i")
    val values = query.aggregates.zipWithIndex.map { case (a, i) => s"${a.sql} AS a$i" }
    if (query.inSql || keys.isEmpty) {
      input.selectExpr("*" +: keys: _*).createOrReplaceTempView("session_rows")
      val by = if (keys.isEmpty) "" else names.mkString("PARTITION BY ", ", ", "")
      input.sparkSession.sql(s"""
        SELECT ${("window_start" +: "window_end" +: names ++: values).mkString(", ")}
        FROM SESSION(TABLE(session_rows) $by, DESCRIPTOR(time), ${query.slideMs} milliseconds)
        GROUP BY ${("window_start" +: "window_end" +: names).mkString(", ")}""")
    } else {
      val all = values.map(expr)
      input
        .groupBy(
          session_window(col("time"), s"${query.slideMs} milliseconds").as("w") +:
            keys.map(expr): _*
        )
        .agg(all.head, all.tail: _*)
        .select(
          Seq(col("w.start"), col("w.end")) ++ names.map(col) ++
            values.indices.map(i => col(s"a$i")): _*
        )
    }
  }

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

  private def sessionsOf(
      run: CollectedBatches,
      query: FrameCase
  ): Map[Long, Map[SessionKey, Seq[Any]]] = {
    val keys = query.key.sql.size
    run.rowsByBatch.view.mapValues { rows =>
      val sessions = rows.map { row =>
        val key = FrameKey.text(row.toSeq.slice(2, 2 + keys))
        SessionKey(micros(row.getAs(0)), micros(row.getAs(1)), key) -> row.toSeq.drop(2 + keys)
      }
      assert(sessions.map(_._1).distinct.size === sessions.size, s"a session came twice: $rows")
      sessions.toMap
    }.toMap
  }

  private def micros(time: Timestamp): Long =
    Math.floorDiv(time.getTime, 1000L) * 1000000L + time.getNanos / 1000

  private def compare(
      query: FrameCase,
      expected: Map[SessionKey, Seq[SentRow]],
      on: Map[SessionKey, Seq[Any]],
      off: Map[SessionKey, Seq[Any]]
  ): Unit = {
    assert(off.keySet === expected.keySet, "by Spark's operator")
    assert(on.keySet === expected.keySet, "by Tidegate's operator")
    for {
      (session, rows) <- expected
      (aggregate, i) <- query.aggregates.zipWithIndex
    } withClue(s"$session, ${aggregate.sql}: ") {
      val (a, b) = (on(session)(i), off(session)(i))
      aggregate.model.map(_(rows)).foreach { model =>
        Seq(a, b).foreach { value =>
          val isRight = (aggregate.isFree, model) match {
            case (true, values: Seq[_]) => values.exists(alike(value, _))
            case _                      => alike(value, model)
          }
          assert(isRight, s"$value, the model has $model")
        }
      }
      if (!aggregate.isFree && aggregate.isStable(rows)) assert(alike(a, b), s"$a and $b")
    }
  }
}
