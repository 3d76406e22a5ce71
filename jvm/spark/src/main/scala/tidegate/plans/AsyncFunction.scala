package tidegate.plans

import scala.concurrent.Future

import org.apache.spark.sql.Row

/**
 * A function that answers rows later. Each task has a copy of its own, which is set up before its
 * first call and torn down after its last one.
 */
trait AsyncFunction extends Serializable {

  /** Opens what the calls of a task need, such as a connection. */
  def setup(): Unit = ()

  /** Begins a call; it must not wait for its answer. */
  def call(row: Row, key: CallKey): Future[Row]

  /** Closes what `setup` has opened. */
  def teardown(): Unit = ()
}
