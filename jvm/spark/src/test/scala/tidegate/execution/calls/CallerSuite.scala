package tidegate
package execution.calls

import java.util.Random
import java.util.concurrent.LinkedBlockingQueue

import scala.collection.mutable
import scala.concurrent.Future

import org.apache.spark.sql.Row
import org.scalatest.funsuite.AnyFunSuite
import tidegate.plans.{AsyncFunction, CallKey, CallOptions, OnError}

/** The pauses between the attempts of a call. */
class CallerSuite extends AnyFunSuite {

  test("the longest pause doubles with each failed attempt, up to ten seconds") {
    val found = (1 to 9).map(Caller.longestPauseMs)
    assert(found === Seq(100, 200, 400, 800, 1600, 3200, 6400, 10000, 10000))
    assert(Caller.longestPauseMs(Int.MaxValue) === 10000)
  }

  test("a pause is of any length up to the longest: calls do not come back together") {
    val random = new Random(1)
    val found = Seq.fill(20000)(Caller.randomPauseMs(random, 2))
    assert(found.toSet === (0L to 200L).toSet)
    val average = found.sum / found.size
    assert(average > 80 && average < 120)
  }

  test("before each further attempt of a call there is a pause") {
    val ended = new LinkedBlockingQueue[EndedCall]
    val asked = mutable.Buffer.empty[Int]
    val failing = new AsyncFunction {
      override def call(row: Row, key: CallKey): Future[Row] = Future.failed(new Exception("no"))
    }
    val options = CallOptions("f", ordered = true, 1, None, retries = 3, OnError.Null, 100)
    val caller = new Caller(failing, options, (_, call) => ended.put(call), n => { asked += n; 0 })
    caller.begin(0, CallKey(0, 0, 0), Row(1), inFlight = 1)
    assert(ended.take().attempts === 4)
    caller.close()
    assert(asked === Seq(1, 2, 3))
  }
}
