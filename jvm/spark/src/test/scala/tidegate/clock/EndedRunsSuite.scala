package tidegate.clock

import java.lang.ref.WeakReference
import java.util.UUID

import org.apache.spark.sql.SparkSession
import org.scalatest.funsuite.AnyFunSuite
import tidegate.core.figures.{QueryFigures, QueryIds, RunState}

/** Which of the runs that have ended are remembered. */
class EndedRunsSuite extends AnyFunSuite {

  private def run(name: String, runId: UUID = UUID.randomUUID()): EndedRun = EndedRun(
    new WeakReference[SparkSession](null),
    QueryFigures(QueryIds(Some(name), UUID.randomUUID(), runId), RunState.Ended, 0)
  )

  private def names(runs: EndedRuns): Seq[String] = runs.of(null).map(_.ids.label)

  test("the last ones, the newest first") {
    val runs = new EndedRuns(max = 2)
    Seq("a", "b", "c").foreach(name => runs.add(run(name)))
    assert(names(runs) === Seq("c", "b"))
  }

  test("a run that ends twice is there once") {
    val (runs, id) = (new EndedRuns(max = 2), UUID.randomUUID())
    runs.add(run("a", id))
    runs.add(run("b"))
    runs.add(run("a", id))
    assert(names(runs) === Seq("a", "b"))
  }
}
