package tidegate.execution.calls

import java.util.concurrent.{ExecutionException, FutureTask, TimeUnit, TimeoutException}

import scala.util.control.NonFatal

import org.apache.spark.TaskContext
import org.apache.spark.internal.Logging
import org.apache.spark.sql.tidegate.TaskThreads
import tidegate.errors.AsyncErrors
import tidegate.plans.{AsyncFunction, CallOptions}

/** `setup` and `teardown` of a function, each of which may take as long as an attempt of a call. */
private[calls] final class Hooks(function: AsyncFunction, options: CallOptions) extends Logging {

  def setup(): Unit = bounded("setup")(function.setup())

  /**
   * @param failure
   *   why the task has failed: an error of `teardown` does not hide it
   */
  def teardown(failure: Option[Throwable]): Unit =
    try bounded("teardown")(function.teardown())
    catch {
      case NonFatal(second) if failure.isDefined =>
        logWarning(second.getMessage)
        failure.foreach(_.addSuppressed(second))
    }

  private def bounded(hook: String)(body: => Unit): Unit =
    try options.timeoutMs.fold(body)(inTime(_)(body))
    catch { case NonFatal(error) => throw AsyncErrors.hookFailed(hook, options.function, error) }

  /** In a thread of its own, because not all that waits can be interrupted. */
  private def inTime(ms: Long)(body: => Unit): Unit = {
    val work = new FutureTask[Unit](() => body)
    TaskThreads.start(s"mapAsync ${options.function}", TaskContext.get())(work)
    try work.get(ms, TimeUnit.MILLISECONDS)
    catch {
      case e: ExecutionException => throw e.getCause
      case _: TimeoutException   => throw new TimeoutException(s"no answer within $ms ms")
    } finally { val _ = work.cancel(true) }
  }
}
