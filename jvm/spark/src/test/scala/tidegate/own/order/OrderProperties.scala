package tidegate
package own.order

import scala.util.Random

import org.apache.spark.sql.tidegate.Feed
import org.apache.spark.sql.{DataFrame, Row}
import tidegate.own.windows.{FrameTest, SentRow}

/**
 * Random streams in event-time order, killed in every batch, against a model that sorts all rows.
 *
 * Random times, before 1970 too, many of them equal and some missing; random lags, cuts into
 * batches, partitions and state stores, all of them by the seed in the title.
 * `-Dtidegate.cases=100` tries more of them.
 */
class OrderProperties extends OrderTest with FrameTest {
  private val cases = AtNight.cases(few = 4, all = 20)

  for (seed <- 1 to cases) {
    val store = StateStoreKind.all(seed % StateStoreKind.all.size)
    test(s"seed $seed: the rows of each batch are those of the model, on ${store.name}") {
      withClue(s"seed $seed: ")(on(store)(check(new Random(seed))))
    }
  }

  private def check(random: Random): Unit = {
    val files = Seq.fill(4 + random.nextInt(3))(1 + random.nextInt(25))
    val startMs = Seq(-40000L, -5000L, 0L, 1000000L)(random.nextInt(4))
    val rows = randomRows(random, files, startMs)
    val in = sentRows()
    rows.foreach(file => in.addData(file.map(_.row)))
    val lagMs = random.nextInt(4) * 2500
    val partitionBy = Seq(Nil, Seq("k"), Seq("k", "sub"))(random.nextInt(3))
    // With one partition the order of all rows is known, with more that of each key.
    val partitions = 1 + random.nextInt(2) * 2
    withConf("spark.sql.shuffle.partitions" -> partitions.toString) {
      val run = checkKilled(ordered(in, lagMs, partitionBy))
      val batches = orderBatches(run, rows)
      val model = OrderModel.run(batches)
      assert(run.lateRows.values.sum === model.late.values.sum)
      batches.foreach { batch =>
        val found = run.rowsByBatch(batch.id).map(_.getInt(0))
        val expected = model.left(batch.id)
        withClue(s"$batch: ") {
          if (partitions == 1 || partitionBy.isEmpty) assert(found === expected.map(_.id))
          else {
            val key = rows.flatten.map(r => r.id -> keyOf(r, partitionBy)).toMap
            assert(found.groupBy(key) === expected.map(_.id).groupBy(key))
          }
        }
      }
      assert(model.left.values.exists(_.size > 1))
    }
  }

  private def keyOf(row: SentRow, columns: Seq[String]): Seq[Any] =
    columns.map(c => if (c == "k") row.k else row.sub)

  private def randomRows(random: Random, files: Seq[Int], startMs: Long): Seq[Seq[SentRow]] = {
    var id = 0
    files.zipWithIndex.map { case (size, file) =>
      Seq.fill(size) {
        id += 1
        // Steps of half a second and of microseconds: rows of one time, and of almost one.
        val micros = (startMs + file * 10000L + random.nextInt(40) * 500L) * 1000L +
          random.nextInt(2) * 999L
        SentRow(
          id,
          Seq("a", "b")(random.nextInt(2)),
          if (random.nextInt(10) == 0) None else Some(micros),
          Seq(Some("x"), Some("y"), None)(random.nextInt(3)),
          None
        )
      }
    }
  }

  private def ordered(
      in: Feed[Row],
      lagMs: Int,
      partitionBy: Seq[String]
  ): DataFrame =
    SentRow
      .derived(in.toDF())
      .withKeyedWatermark("time", s"$lagMs milliseconds", emission = byMinStep("1 millisecond"))
      .orderByEventTime(partitionBy)

  private def orderBatches(run: CollectedBatches, files: Seq[Seq[SentRow]]): Seq[OrderBatch] = {
    val log = run.log
    log.zip(None +: log.map(Some(_))).map { case (batch, before) =>
      def mark(logged: LoggedBatch) = logged.operators.values.headOption
      val isNew = !before.exists(_.dataOffsets == batch.dataOffsets)
      OrderBatch(
        batch.id,
        if (isNew) files(batch.dataOffsets.head.toInt) else Nil,
        before.flatMap(mark).flatMap(_._1),
        mark(batch).flatMap(_._2)
      )
    }
  }
}
