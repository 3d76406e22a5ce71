package tidegate
package faults

import java.nio.file.Path

import scala.collection.mutable

import org.apache.spark.sql.Row
import org.apache.spark.sql.functions.{col, expr}
import org.apache.spark.sql.streaming.StreamingQueryProgress

/**
 * Every row that comes in is used or late, and counted as such in the progress of its batch, also
 * in a query that fails in every batch. Which rows of a batch are late is known from the watermark
 * in the offset of the batch before.
 */
class AccountedRowsSuite extends KeyedStreamTest {
  private val inputs = FaultInputs.random(seed = 3)

  private def counted(rows: Seq[Row]): Long = rows.map(_.getAs[Long]("c")).sum

  private lazy val left: Map[Int, Seq[Long]] = timesByFile(inputs.left)
  private lazy val right: Map[Int, Seq[Long]] = timesByFile(inputs.right)

  /** The times of the rows of each file, in epoch ms. */
  private def timesByFile(folder: Path): Map[Int, Seq[Long]] = EventFiles
    .table(spark, folder)
    .select(expr("CAST(left(_metadata.file_name, 4) AS INT)"), col("time"))
    .collect()
    .toSeq
    .groupMap(_.getInt(0))(_.getTimestamp(1).getTime)

  /**
   * The times of the rows of each batch, and the watermark at its start, from the offsets of the
   * sources and of the clock.
   */
  private def model(run: Run): Map[Long, (Seq[Long], Option[Long])] = {
    val before = LoggedBatch(-1L, Seq(-1L, -1L), Map.empty)
    run.log
      .scanLeft((before, before)) { case ((_, last), batch) => (last, batch) }
      .tail
      .map { case (last, batch) =>
        def files(i: Int) = batch.dataOffsets.lift(i).toSeq.flatMap { end =>
          (last.dataOffsets.lift(i).getOrElse(-1L) + 1 to end).map(_.toInt)
        }
        val times = files(0).flatMap(left) ++ files(1).flatMap(right)
        batch.id -> (times, last.operators.headOption.flatMap(_._2._1))
      }
      .toMap
  }

  /**
   * @param waiting
   *   how many rows of the last file wait in the state for what comes after
   * @param closes
   *   when a row with a time, in ms, is late at the latest: the end of its window
   * @param used
   *   how many rows the results were made of
   */
  private def accounts(name: String, waiting: Long = 3)(
      closes: Long => Long
  )(used: Run => Long): Unit =
    test(s"$name: rows in = rows used + rows late, and in each batch") {
      val query = FaultQuery.all.find(_.name == name).get
      val run = new Run(inputs.queried(spark, query))
      withConf(StateStoreKind.changelog.conf.toSeq: _*) {
        val batches = progressOfBatches(run)
        val late = batches.map(lateRows).sum
        assert(late > 0, "without late rows nothing is shown")
        assert(batches.map(_.numInputRows).sum === used(run) + duplicates(batches) + waiting + late)
        val expected = model(run)
        batches.foreach { batch =>
          // A trigger that finds nothing has a progress too, with the number of the next batch.
          val (times, watermark) = expected.getOrElse(batch.batchId, (Nil, None))
          withClue(s"batch ${batch.batchId}, watermark $watermark: ") {
            assert(batch.numInputRows === times.size)
            assert(lateRows(batch) === times.count(t => watermark.exists(closes(t) <= _)))
          }
        }
      }
    }

  private def lateRows(batch: StreamingQueryProgress): Long =
    batch.stateOperators.map(_.numRowsDroppedByWatermark).sum

  private def duplicates(batches: Seq[StreamingQueryProgress]): Long = batches
    .flatMap(_.stateOperators)
    .map(o => Option(o.customMetrics.get("numDroppedDuplicateRows")).fold(0L)(_.longValue))
    .sum

  /** The progress of each batch, as of the run that completed the batch. */
  private def progressOfBatches(run: Run): Seq[StreamingQueryProgress] = {
    val progress = mutable.SortedMap.empty[Long, StreamingQueryProgress]
    def keep(): Unit = run.query.recentProgress.foreach(p => progress(p.batchId) = p)
    (0L to 20L).foreach { batch =>
      run.failIn = _ == batch
      run.start().awaitEnd()
      keep()
    }
    run.failIn = _ => false
    run.start().settle().stop()
    keep()
    progress.values.toSeq
  }

  /** The row itself is late if its time is below the watermark. */
  private def itself(ms: Long): Long = ms + 1

  private def tumbling(ms: Long): Long = Math.floorDiv(ms, 10000L) * 10000L + 10000L

  accounts("tumbling")(tumbling)(run => counted(run.rows))
  accounts("session")(_ + 2000L)(run => counted(run.rows))
  accounts("union", waiting = 6)(tumbling)(run => counted(run.rows))
  accounts("deduplication", waiting = 0)(itself)(_.rows.size.toLong)
  accounts("event-time order")(itself)(_.rows.size.toLong)
  accounts("transformWithState")(itself)(_.rows.size.toLong)
}
