package tidegate.execution.calls

import java.util.Random
import java.util.concurrent.TimeUnit.MILLISECONDS
import java.util.concurrent.{
  RejectedExecutionException,
  ScheduledThreadPoolExecutor,
  ThreadLocalRandom,
  TimeoutException
}

import scala.concurrent.{ExecutionContext, Future, Promise}
import scala.util.Try
import scala.util.control.NonFatal

import org.apache.spark.sql.Row
import tidegate.plans.{AsyncFunction, CallKey, CallOptions}

/**
 * A call that has ended, with its result or its error, and how many were in flight at its start.
 */
private[calls] final case class EndedCall(
    key: CallKey,
    row: Row,
    result: Try[Row],
    attempts: Int,
    micros: Long,
    inFlight: Int
)

/**
 * Makes calls with timeouts and retries. Before a retry it waits for a random time, so that calls
 * that failed together do not come back together.
 *
 * @param ended
 *   gets every call that ends before `close`, in any thread
 * @param pauseMs
 *   how long to wait after so many failed attempts
 */
private[calls] final class Caller(
    function: AsyncFunction,
    options: CallOptions,
    ended: (Long, EndedCall) => Unit,
    pauseMs: Int => Long = Caller.randomPauseMs(ThreadLocalRandom.current(), _)
) extends AutoCloseable {
  private implicit val inPlace: ExecutionContext = ExecutionContext.parasitic

  @volatile private var isClosed = false

  private val timer = {
    val executor = new ScheduledThreadPoolExecutor(
      1,
      (work: Runnable) => {
        val thread = new Thread(work, "mapAsync-timer")
        thread.setDaemon(true)
        thread
      }
    )
    // Most timeouts are cancelled long before their time.
    executor.setRemoveOnCancelPolicy(true)
    executor
  }

  /** Begins the call of row `number` of this task. */
  def begin(number: Long, key: CallKey, row: Row, inFlight: Int): Unit = {
    val began = System.nanoTime()
    def attempt(attempts: Int): Unit =
      answer(row, key).onComplete { result =>
        if (isClosed) ()
        else if (result.isFailure && attempts <= options.retries)
          later(pauseMs(attempts))(attempt(attempts + 1))
        else {
          val micros = (System.nanoTime() - began) / 1000
          ended(number, EndedCall(key, row, result, attempts, micros, inFlight))
        }
      }
    attempt(1)
  }

  private def answer(row: Row, key: CallKey): Future[Row] = {
    val future =
      try Option(function.call(row, key)).getOrElse(Future.failed(noFuture))
      catch { case NonFatal(error) => Future.failed(error) }
    options.timeoutMs.fold(future) { ms =>
      val first = Promise[Row]()
      val end: Runnable = () => { val _ = first.tryFailure(late(ms)) }
      val timeout = timer.schedule(end, ms, MILLISECONDS)
      future.onComplete { result: Try[Row] =>
        timeout.cancel(false)
        first.tryComplete(result)
      }
      first.future
    }
  }

  private def later(ms: Long)(body: => Unit): Unit = {
    val work: Runnable = () => body
    // Between the question and the answer the task may end.
    try { val _ = timer.schedule(work, ms, MILLISECONDS) }
    catch { case _: RejectedExecutionException if isClosed => () }
  }

  /** Forgets the calls that are in flight. */
  override def close(): Unit = {
    isClosed = true
    val _ = timer.shutdownNow()
  }

  private def noFuture =
    new NullPointerException("the function returned null instead of a Future")

  private def late(ms: Long) = new TimeoutException(s"no answer within $ms ms")
}

private[calls] object Caller {
  private val FirstPauseMs = 100L
  private val LongestPauseMs = 10000L

  /** A pause after so many failed attempts, of any length up to the longest. */
  def randomPauseMs(random: Random, failed: Int): Long =
    (random.nextDouble() * (longestPauseMs(failed) + 1)).toLong

  /** The longest pause after so many failed attempts. */
  def longestPauseMs(failed: Int): Long =
    math.min(LongestPauseMs, FirstPauseMs << math.min(failed - 1, 10))
}
