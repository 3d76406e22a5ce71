package tidegate.clock

import java.lang.ref.WeakReference
import java.util.UUID

import org.apache.spark.sql.SparkSession
import org.scalatest.funsuite.AnyFunSuite
import tidegate.core.sight.{MemorySnapshot, RunState, Situation}

/** Which of the runs that have ended are remembered. */
class EndedRunsSuite extends AnyFunSuite {

  private def run(name: String, runId: UUID = UUID.randomUUID()): EndedRun = EndedRun(
    QueryIds(Some(name), UUID.randomUUID(), runId),
    new WeakReference[SparkSession](null),
    QueryView(ClockView.empty, Map.empty),
    QuerySight(MemorySnapshot.empty, nothing(name))
  )

  private def nothing(query: String): Situation =
    Situation(query, 0, RunState.Ended, Map.empty, Map.empty, Map.empty, Map.empty, Map.empty, Nil)

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
