package tidegate
package faults

import java.nio.file.{Files, Path}

import scala.collection.mutable
import scala.util.Random

import org.apache.commons.io.FileUtils
import org.scalatest.BeforeAndAfterAll
import org.scalatest.funsuite.AnyFunSuite

/**
 * Every kind of operator with state, on every state store, in a process that is killed with SIGKILL
 * at random moments: its rows, and its watermarks in every batch, are those of an undisturbed run.
 *
 * All queries of a state store run at the same time, so a kill hits each of them, wherever it is.
 * `-Dtidegate.kills=N` sets how many kills each query has to survive, `-Dtidegate.seed=N` when they
 * come, and `-Dtidegate.queries=over,cumulate` which queries run.
 */
class CrashMatrixSuite extends AnyFunSuite with BeforeAndAfterAll {
  import CrashMatrixSuite._

  private val kills = sys.props.get("tidegate.kills").fold(2)(_.toInt)
  private val seed = sys.props.get("tidegate.seed").fold(1L)(_.toLong)
  private val chosen = sys.props.get("tidegate.queries").map(_.split(',').toSet)
  private val random = new Random(seed)
  private val inputs = FaultInputs.random(seed)
  private val folder = TempFolders.create("faults")
  private val undisturbed = mutable.Map.empty[FaultCase, FaultResult]
  private lazy val spark = KeyedStreamTest.session

  override protected def afterAll(): Unit = FileUtils.deleteDirectory(folder.toFile)

  StateStoreKind.all.foreach { store =>
    test(s"killed at least $kills times, on ${store.name}") {
      val cases = FaultCase.all(store).filter(c => chosen.forall(_.contains(c.query.name)))
      val unknown = cases.filterNot(undisturbed.contains)
      if (unknown.nonEmpty) {
        val run = newRun(unknown)
        withClue(s"seed $seed, undisturbed: ")(finish(new Child(store, run)))
        unknown.foreach(c => undisturbed(c) = c.result(spark, run))
        unknown.foreach(c => assert(undisturbed(c).rows.size > 5, c.name))
        assert(chosen.isDefined || undisturbed.values.map(_.late.size).sum > 10)
      }
      val survived = mutable.Map.from(cases.map(_ -> 0))
      while (survived.values.min < kills) {
        val open = cases.filter(survived(_) < kills)
        val run = newRun(open)
        killAtRandom(store, run, open, survived)
        open.foreach { c =>
          withClue(s"seed $seed, ${c.name}, killed ${survived(c)} times: ") {
            val (found, wanted) = (c.result(spark, run), undisturbed(c))
            assert(found.rows === wanted.rows)
            assert(found.late === wanted.late)
            assert(found.batches === wanted.batches)
          }
        }
      }
      cases.foreach(c => info(s"${c.name}: ${survived(c)} kills"))
    }
  }

  /** Kills the queries until each has survived enough, or has ended; then lets the rest end. */
  private def killAtRandom(
      store: StateStoreKind,
      run: Path,
      cases: Seq[FaultCase],
      survived: mutable.Map[FaultCase, Int]
  ): Unit = {
    val batches = cases.map(undisturbed(_).batches.size).sum
    var child = new Child(store, run)
    var planned = 0
    while (child.isAlive && cases.exists(c => survived(c) < kills && !c.hasEnded(run))) {
      // Spread over the run.
      planned += 1 + random.nextInt(2 * batches / (kills.min(KillsOfRun) + 1))
      child.awaitBatches(cases, planned)
      Thread.sleep(random.nextInt(200).toLong)
      if (child.isAlive) {
        child.kill()
        cases.foreach { c =>
          if (c.commits(run) > 0 && !c.hasEnded(run)) survived(c) += 1
        }
        child = new Child(store, run)
      }
    }
    finish(child)
  }

  private def finish(child: Child): Unit =
    try assert(child.succeeds, child.log)
    finally child.kill()

  private def newRun(cases: Seq[FaultCase]): Path = {
    val run = Files.createTempDirectory(folder, "run")
    FaultCase.write(run, cases)
    run
  }

  private final class Child(store: StateStoreKind, run: Path) {
    private val jvm = FaultProcess.launch(store, inputs, run)
    jvm.start()

    def isAlive: Boolean = jvm.isAlive
    def succeeds: Boolean = jvm.succeeds()
    def kill(): Unit = jvm.kill()
    def log: String = Files.readString(run.resolve("log")).takeRight(5000)

    /** Waits until so many batches are committed, over all queries; or for ten minutes. */
    def awaitBatches(cases: Seq[FaultCase], count: Int): Unit = {
      val endNs = System.nanoTime() + 600e9.toLong
      def isEnough = cases.map(_.commits(run)).sum >= count || System.nanoTime() > endNs
      while (isAlive && !isEnough) Thread.sleep(20)
    }
  }
}

object CrashMatrixSuite {

  /** About how many kills are spread over a run from beginning to end. */
  private val KillsOfRun = 4
}
