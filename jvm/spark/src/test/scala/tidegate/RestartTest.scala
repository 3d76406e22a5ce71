package tidegate

import java.nio.file.Path

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.streaming.OutputMode

/**
 * Runs a query over files, one file a batch; then again for every moment at which it could have
 * been killed: between the commit of a batch and the next offset, and within the batch. All that
 * follows must be as in the undisturbed run: rows, late and eviction watermarks, batches.
 */
trait RestartTest extends KeyedStreamTest {

  /**
   * The same test on both state store providers with `-Dtidegate.stores=all`, and otherwise on one
   * of the two, which its title decides.
   */
  def onBothStores(title: String)(body: => Unit): Unit = {
    val both = Seq("HDFSBacked", "RocksDB")
    val stores =
      if (StateStoreKind.areAll) both else Seq(both(Math.floorMod(title.hashCode, both.size)))
    stores.foreach(store => test(s"$title, on $store state")(on(store)(body)))
  }

  /**
   * The same test on RocksDB alone: for chains of operators, each of which is tested by itself on
   * both stores.
   */
  def onRocksDb(title: String)(body: => Unit): Unit = test(title)(on("RocksDB")(body))

  def on[T](store: String)(body: => T): T =
    withConf(
      "spark.sql.streaming.stateStore.providerClass" ->
        s"org.apache.spark.sql.execution.streaming.state.${store}StateStoreProvider"
    )(body)

  /** The rows of each batch, as they are compared; in any order. */
  def compared(run: CollectedBatches): Map[Long, Seq[String]] = run.byBatch

  /** A folder with one file of events for every batch. */
  def files(batches: Seq[Event]*): Path = EventFiles.of(batches: _*)

  /** One more file; a query reads files by their number. */
  def addFile(folder: Path, i: Int, events: Seq[Event]): Unit = EventFiles.add(folder, i, events)

  /** As `addFile`, of rows in JSON. */
  def addLines(folder: Path, i: Int, lines: Seq[String]): Unit =
    EventFiles.addLines(folder, i, lines)

  def stream(folder: Path, filesPerBatch: Int = 1): DataFrame =
    EventFiles.stream(spark, folder, filesPerBatch)

  /** The same events as a table, for the batch result. */
  def table(folder: Path): DataFrame = EventFiles.table(spark, folder)

  /**
   * The undisturbed run, after all the others have been found equal to it.
   *
   * Each of the others goes on for two batches: where it stands then is where the undisturbed run
   * stood, from which the next kill is tried.
   */
  def checkRestarts(frame: => DataFrame, mode: OutputMode = OutputMode.Append()): Run = {
    val undisturbed = new Run(frame, mode = mode).start().settle()
    val batches = undisturbed.log
    undisturbed.stop()
    assert(batches.map(_.id) === batches.indices)
    for (last <- batches; commits <- Seq(last.id, last.id - 1)) {
      val checkpoint =
        Checkpoints.cut(undisturbed.checkpoint, last.id, commits, last.dataOffsets)
      val again = new Run(frame, checkpoint, mode)
      val end = commits + 2
      again.failIn = _ > end
      again.start().awaitEnd()
      withClue(s"killed after offset ${last.id}, commit $commits: ") {
        assert(again.log.filter(_.id <= end) === batches.filter(_.id <= end))
        assert(compared(again) === compared(undisturbed).filter { case (id, _) =>
          id > commits && id <= end
        })
      }
    }
    undisturbed
  }

  private lazy val killEvery = if (Integer.getInteger("tidegate.kills", 0) > 2) 1L else 3L

  /**
   * The undisturbed run, after one that was killed in every third batch has been found equal to it;
   * at night in every batch.
   *
   * Cheaper than `checkRestarts`: the kills are those of one run, each after the offset of a batch
   * was written; of every other batch the offset is taken away, as if it was killed before.
   */
  def checkKills(frame: => DataFrame, mode: OutputMode = OutputMode.Append()): Run = {
    val undisturbed = new Run(frame, mode = mode).start().settle()
    val batches = undisturbed.log
    undisturbed.stop()
    val killed = new Run(frame, mode = mode)
    val kills = batches.zip(None +: batches.map(Some(_))).filter(_._1.id % killEvery == 0)
    kills.foreach { case (batch, before) =>
      killed.failIn = _ == batch.id
      killed.start().awaitEnd()
      before.filter(_.id % 2 == 0).foreach { b =>
        Checkpoints.keepOffsets(killed.checkpoint, b.id, b.dataOffsets)
      }
    }
    killed.failIn = _ => false
    killed.start().settle().stop()
    assert(killed.log === batches)
    assert(compared(killed) === compared(undisturbed))
    undisturbed
  }
}
