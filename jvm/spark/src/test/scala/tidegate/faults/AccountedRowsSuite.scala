package tidegate
package faults

import scala.collection.mutable

import org.apache.spark.sql.Row
import org.apache.spark.sql.streaming.StreamingQueryProgress

/**
 * Every row that comes in is used or late, and counted as such in the progress of its batch, also
 * in a query that fails in every batch.
 */
class AccountedRowsSuite extends KeyedStreamTest {
  private val inputs = FaultInputs.random(seed = 3)

  private def counted(rows: Seq[Row]): Long = rows.map(_.getAs[Long]("c")).sum

  /**
   * @param waiting
   *   how many rows of the last file wait in the state for what comes after
   */
  private def accounts(name: String, waiting: Long = 3)(used: Run => Long): Unit =
    test(s"$name: rows in = rows used + rows late") {
      val query = FaultQuery.all.find(_.name == name).get
      val run = new Run(inputs.queried(spark, query))
      withConf(StateStoreKind.changelog.conf.toSeq: _*) {
        val batches = progressOfBatches(run)
        val late = batches.map(lateRows).sum
        assert(late > 0, "without late rows nothing is shown")
        assert(batches.map(_.numInputRows).sum === used(run) + duplicates(batches) + waiting + late)
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

  accounts("tumbling")(run => counted(run.rows))
  accounts("session")(run => counted(run.rows))
  accounts("union", waiting = 6)(run => counted(run.rows))
  accounts("deduplication", waiting = 0)(_.rows.size.toLong)
  accounts("event-time order")(_.rows.size.toLong)
  accounts("transformWithState")(_.rows.size.toLong)
}
