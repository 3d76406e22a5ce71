package tidegate
package faults

import java.nio.file.Path

import org.apache.spark.sql.streaming.StreamingQueryException
import org.scalatest.BeforeAndAfterAll

/**
 * A failure at each moment of each batch at which a process can end, injected into Spark's files
 * and planning: rows and watermarks are those of an undisturbed run.
 */
class KillPointsSuite extends KeyedStreamTest with BeforeAndAfterAll {
  private val inputs = FaultInputs.random(seed = 2)

  private val stores = Seq(StateStoreKind.hdfs, StateStoreKind.changelog)

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    spark.experimental.extraStrategies = Seq(KillPoint.PlanningFault)
  }

  override protected def afterAll(): Unit = {
    spark.experimental.extraStrategies = Nil
    super.afterAll()
  }

  override protected def afterEach(): Unit = {
    KillPoint.disarm()
    super.afterEach()
  }

  private val queries = Seq(
    "tumbling",
    "hop by frames",
    "session",
    "left outer join",
    "full outer join",
    "deduplication",
    "event-time order"
  )

  for (store <- stores; name <- queries) {
    val kind = FaultCase.all(store).find(_.name == name).get
    lazy val undisturbed = withConf(store.conf.toSeq: _*)(finished(kind, newRun()))
    KillPoint.all.foreach { point =>
      test(s"$name, ${point.title}, on ${store.name}") {
        withConf(store.conf.toSeq: _*) {
          val run = newRun()
          val failures = undisturbed.batches.count(b => failsAt(kind, run, point, b.id))
          assert(failures > 3)
          KillPoint.disarm()
          if (!kind.hasEnded(run)) kind.run(spark, inputs, run)
          val found = kind.result(spark, run)
          assert(found.rows === undisturbed.rows)
          assert(found.late === undisturbed.late)
          assert(found.batches === undisturbed.batches)
        }
      }
    }
  }

  /** Runs the query until it fails at this moment; or to its end, if it does not come to it. */
  private def failsAt(kind: FaultCase, run: Path, point: KillPoint, batch: Long): Boolean =
    !kind.hasEnded(run) && {
      point.arm(batch)
      try {
        kind.run(spark, inputs, run)
        false
      } catch {
        case e: StreamingQueryException if KillPoint.isReasonOf(e) => true
      }
    }

  private def finished(kind: FaultCase, run: Path): FaultResult = {
    kind.run(spark, inputs, run)
    kind.result(spark, run)
  }

  private def newRun(): Path = TempFolders.create("kill-point")
}
