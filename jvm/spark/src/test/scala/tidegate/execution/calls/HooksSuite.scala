package tidegate
package execution.calls

import java.util.concurrent.CountDownLatch

import scala.concurrent.Future

import org.apache.spark.sql.{AnalysisException, Row}
import org.scalatest.funsuite.AnyFunSuite
import tidegate.plans.{AsyncFunction, CallKey, CallOptions, OnError}

/** `setup` and `teardown` that fail, or do not end. */
class HooksSuite extends AnyFunSuite {

  private class Hooked(open: => Unit, close: => Unit) extends AsyncFunction {
    override def setup(): Unit = open
    override def call(row: Row, key: CallKey): Future[Row] = Future.successful(row)
    override def teardown(): Unit = close
  }

  private def hooks(timeoutMs: Option[Long])(open: => Unit)(close: => Unit): Hooks = {
    val options = CallOptions("prices", ordered = true, 1, timeoutMs, 0, OnError.Fail, 100)
    new Hooks(new Hooked(open, close), options)
  }

  private def refused(sentence: String)(body: => Unit): Unit = {
    val error = intercept[AnalysisException](body)
    assert(
      error.getMessage === s"[TIDEGATE_CALL_HOOK_FAILED] mapAsync: $sentence SQLSTATE: 38000"
    )
  }

  private def late(hook: String) =
    s"$hook of function prices has failed: TimeoutException: no answer within 50 ms. Each of setup " +
      "and teardown may take as long as an attempt: raise timeout, or begin in setup what takes " +
      "longer, and let the calls wait for it."

  private def failed(hook: String) =
    s"$hook of function prices has failed: IllegalStateException: no. The query stops; start it " +
      "again when the cause is gone."

  private def fail(): Unit = throw new IllegalStateException("no.")

  test("one that waits for ever, and one that cannot be interrupted, end with the timeout") {
    val released = new CountDownLatch(1)
    def waits(): Unit = released.await()
    def holds(): Unit =
      while (released.getCount > 0)
        try waits()
        catch { case _: InterruptedException => () }
    val waiting = hooks(Some(50))(waits())(waits())
    val holding = hooks(Some(50))(holds())(holds())
    for (hanging <- Seq(waiting, holding)) {
      refused(late("setup"))(hanging.setup())
      refused(late("teardown"))(hanging.teardown(None))
    }
    released.countDown()
  }

  test("one that fails has a sentence, with a timeout and without") {
    for (timeoutMs <- Seq(None, Some(10000L))) {
      val failing = hooks(timeoutMs)(fail())(fail())
      refused(failed("setup"))(failing.setup())
      refused(failed("teardown"))(failing.teardown(None))
    }
  }

  test("a teardown that fails does not hide why the task has failed") {
    val cause = new Exception("the cause")
    hooks(Some(10000))(())(fail()).teardown(Some(cause))
    assert(cause.getSuppressed.map(_.getMessage).exists(_.contains(failed("teardown"))))
  }
}
