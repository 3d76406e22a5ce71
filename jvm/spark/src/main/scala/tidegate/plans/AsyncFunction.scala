package tidegate.plans

import scala.concurrent.Future

import org.apache.spark.sql.Row

/**
 * A function that answers rows later. Each task has a copy of its own, which is set up before its
 * first call and torn down after its last one. Each of `setup` and `teardown` may take as long as
 * an attempt of a call, and runs in a thread of its own.
 */
trait AsyncFunction extends Serializable {

  /** Opens what the calls of a task need, such as a connection. */
  def setup(): Unit = ()

  /** Begins a call; it must not wait for its answer. */
  def call(row: Row, key: CallKey): Future[Row]

  /** Closes what `setup` has opened. */
  def teardown(): Unit = ()
}

/**
 * Which call of a query this is. A batch that is run again makes its calls with the same keys, so a
 * service that remembers them can leave out doubles.
 *
 * @param batch
 *   the number of the batch; -1 in a query on batch data
 * @param partition
 *   the number of the partition in its stage
 * @param row
 *   the number of the row in its partition, from 0 on
 */
final case class CallKey(batch: Long, partition: Int, row: Long)

/**
 * How the calls of a task are made.
 *
 * @param function
 *   the name of the function, for messages
 * @param maxInFlight
 *   the largest number of calls in flight in a task
 * @param timeoutMs
 *   how long an attempt may take, and each of `setup` and `teardown`; none: for ever
 * @param retries
 *   how often a failed call is made again
 * @param breakAfter
 *   after how many failed calls in a row a task fails whatever `onError` says
 */
final case class CallOptions(
    function: String,
    ordered: Boolean,
    maxInFlight: Int,
    timeoutMs: Option[Long],
    retries: Int,
    onError: OnError,
    breakAfter: Int
)

/** What happens with a row whose call has failed for good. */
sealed trait OnError

object OnError {

  /** The query fails. */
  case object Fail extends OnError

  /** The row leaves, with null in the columns that the input does not have. */
  case object Null extends OnError

  /** The row is written to a folder, and does not leave. */
  case object DeadLetter extends OnError

  private val byName: Map[String, OnError] =
    Map("fail" -> Fail, "null" -> Null, "dead letter" -> DeadLetter)

  /** Their names in the order of the documentation. */
  val names: Seq[String] = Seq("fail", "null", "dead letter")

  /** The one with a name. */
  def of(name: String): Option[OnError] = byName.get(name)
}
