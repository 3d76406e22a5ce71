package tidegate.execution.calls

import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.{Future, Promise}
import scala.jdk.CollectionConverters._

import org.apache.spark.sql.Row
import tidegate.plans.{AsyncFunction, CallKey}

/** What the calls of a test have done, in this process. */
object TestService {
  private val asked = new ConcurrentLinkedQueue[(Any, CallKey)]
  private val waiting = new ConcurrentLinkedQueue[() => Unit]
  private val inFlight = new AtomicInteger
  val mostInFlight = new AtomicInteger
  val opened = new AtomicInteger
  val closed = new AtomicInteger

  def reset(): Unit = {
    asked.clear()
    waiting.clear()
    Seq(inFlight, mostInFlight, opened, closed).foreach(_.set(0))
  }

  /** The rows that were asked about, with the keys of the calls. */
  def calls: Seq[(Any, CallKey)] = asked.asScala.toSeq

  /** Answers at once. */
  def now(key: CallKey, row: Row)(answer: => Row): Future[Row] = {
    asked.add(row.get(0) -> key)
    Future.fromTry(scala.util.Try(answer))
  }

  /** Answers the calls of a group in reverse, when all of the group have come. */
  def inReverse(group: Int, key: CallKey, row: Row)(answer: => Row): Future[Row] = synchronized {
    asked.add(row.get(0) -> key)
    mostInFlight.accumulateAndGet(inFlight.incrementAndGet(), math.max(_, _))
    val promise = Promise[Row]()
    waiting.add { () =>
      inFlight.decrementAndGet()
      val _ = promise.success(answer)
    }
    if (waiting.size == group) {
      val ready = waiting.asScala.toSeq.reverse
      waiting.clear()
      ready.foreach(_())
    }
    promise.future
  }
}

/** Doubles `n`, the third column of an event; keeps the others. */
final class Doubling(group: Int) extends AsyncFunction {
  override def setup(): Unit = { val _ = TestService.opened.incrementAndGet() }

  override def call(row: Row, key: CallKey): Future[Row] = {
    val answer = Row(row.get(0), row.get(1), row.getInt(2) * 2)
    if (group > 1) TestService.inReverse(group, key, row)(answer)
    else TestService.now(key, row)(answer)
  }

  override def teardown(): Unit = { val _ = TestService.closed.incrementAndGet() }
}
