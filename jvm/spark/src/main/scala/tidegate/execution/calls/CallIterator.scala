package tidegate.execution.calls

import java.util.concurrent.LinkedBlockingQueue

import scala.collection.mutable
import scala.util.{Failure, Success}

import org.apache.spark.sql.Row
import tidegate.core.async.CallOrder
import tidegate.errors.AsyncErrors
import tidegate.plans.{AsyncFunction, CallKey, CallOptions, OnError}

/**
 * The ended calls of a task, in the order of the rows or as they end. Takes a row only when there
 * is room for its call. Not thread-safe; the calls end in other threads.
 *
 * @param key
 *   the key of the call of a row, by the number of the row
 */
private[calls] final class CallIterator(
    rows: Iterator[Row],
    function: AsyncFunction,
    options: CallOptions,
    key: Long => CallKey
) extends Iterator[EndedCall]
    with AutoCloseable {

  private val calls = new CallOrder[EndedCall](options.ordered, options.maxInFlight)
  private val ended = new LinkedBlockingQueue[(Long, EndedCall)]
  private val caller = new Caller(function, options, (number, call) => ended.put(number -> call))
  private val leaving = mutable.Queue.empty[EndedCall]
  private var failedInARow = 0

  override def hasNext: Boolean = {
    while (leaving.isEmpty && (calls.inFlight > 0 || rows.hasNext)) advance()
    leaving.nonEmpty
  }

  override def next(): EndedCall = {
    if (!hasNext) throw new NoSuchElementException("all calls have left")
    leaving.dequeue()
  }

  /** Begins a call if there is room, else waits for the end of one. */
  private def advance(): Unit = {
    val begun = if (rows.hasNext) calls.offer() else None
    begun.foreach(number => caller.begin(number, key(number), rows.next(), calls.inFlight))
    if (begun.isEmpty) take(ended.take())
    Iterator.continually(ended.poll()).takeWhile(_ != null).foreach(take)
  }

  private def take(end: (Long, EndedCall)): Unit = {
    val (number, call) = end
    checkFailure(call)
    calls.answer(number, call).foreach(leaving.enqueue(_))
  }

  private def checkFailure(call: EndedCall): Unit = call.result match {
    case Success(_)                                        => failedInARow = 0
    case Failure(error) if options.onError == OnError.Fail =>
      throw failed(call, error)
    case Failure(error) =>
      failedInARow += 1
      if (failedInARow >= options.breakAfter)
        throw AsyncErrors.serviceDown(options.function, failedInARow, error)
  }

  private def failed(call: EndedCall, error: Throwable) = {
    val CallKey(batch, partition, row) = call.key
    AsyncErrors.callFailed(options.function, batch, partition, row, call.attempts, error)
  }

  override def close(): Unit = caller.close()
}
