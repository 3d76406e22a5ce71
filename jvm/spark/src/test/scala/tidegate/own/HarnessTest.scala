package tidegate
package own

import java.nio.file.Path

import scala.collection.mutable

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.tidegate.Feed
import org.scalatest.Outcome

/** Base of the suites that run operators without a stream. */
trait HarnessTest extends RestartTest {

  def feed(): Feed[Event] = Feed[Event](spark)(KeyedStreamTest.eventEncoder)

  /** A feed whose batches are given. */
  def feed(batches: Seq[Event]*): Feed[Event] = {
    val in = Feed.byBlock[Event](spark)(KeyedStreamTest.eventEncoder)
    batches.foreach(in.addData(_))
    in
  }

  private val batches = mutable.Map.empty[Path, Seq[Seq[Event]]]
  private val feeds = mutable.Map.empty[Path, Feed[Event]]

  override def files(batches: Seq[Event]*): Path = {
    val folder = super.files(batches: _*)
    this.batches(folder) = batches
    folder
  }

  /** The rows of a folder of `files`: each file is a batch, and a folder is one source. */
  def feedOf(folder: Path): Feed[Event] =
    feeds.getOrElseUpdate(folder, feed(batches(folder): _*))

  def harness(frame: => DataFrame, mode: OutputMode = OutputMode.Append()): OperatorHarness =
    new OperatorHarness(frame, newCheckpoint(), mode)

  private var title = ""

  /** In the next batch, a batch whose rows stay in their partition is run in this thread. */
  protected def closing: String = "nextBatch"

  override protected def withFixture(test: NoArgTest): Outcome = {
    title = test.name
    // State stores report to what comes with it.
    locally(spark.streams)
    withConf("spark.tidegate.closing" -> closing)(super.withFixture(test))
  }

  /**
   * The same on each kind of store with `-Dtidegate.stores=all`, and otherwise on one of each of
   * Spark's classes, which the title of the test decides.
   */
  def onEach(body: => Unit): Unit = on(stores.flatten)(body)

  /** As `onEach`, but otherwise on one store: where another suite has the operator on each. */
  def onOne(body: => Unit): Unit = on(
    if (StateStoreKind.areAll) StateStoreKind.all
    else Seq(StateStoreKind.all(Math.floorMod(title.hashCode, StateStoreKind.all.size)))
  )(body)

  /** In pairs. */
  private def stores: Seq[Seq[StateStoreKind]] =
    if (StateStoreKind.areAll) StateStoreKind.all.grouped(2).toSeq
    else Seq(StateStoreKind.pairs(Math.floorMod(title.hashCode, StateStoreKind.pairs.size)))

  def on(stores: Seq[StateStoreKind])(body: => Unit): Unit = stores.foreach { store =>
    withClue(s"on ${store.name}: ")(withConf(store.conf.toSeq: _*)(body))
  }

  /** The kinds of stores of `onEach`, each pair with the next seed. */
  def inPairs(seed: Int): Seq[(Seq[StateStoreKind], Int)] =
    stores.zipWithIndex.map { case (pair, i) => pair -> (seed + i) }

  /**
   * The undisturbed run, after one that was killed in every batch has been found equal to it: its
   * rows, and the watermarks of each batch. Every third batch is killed before its offset.
   */
  def checkKilled(frame: => DataFrame, mode: OutputMode = OutputMode.Append()): OperatorHarness = {
    val undisturbed = harness(frame, mode).start().settle()
    val killed = harness(frame, mode)
    undisturbed.log.foreach { batch =>
      killed.failIn = _ == batch.id
      assert(killed.restart().settle().failed)
      if (batch.id % 3 == 0) killed.forgetLastOffset()
    }
    killed.failIn = _ => false
    killed.restart().settle()
    assert(killed.log === undisturbed.log)
    assert(compared(killed) === compared(undisturbed))
    undisturbed
  }
}
