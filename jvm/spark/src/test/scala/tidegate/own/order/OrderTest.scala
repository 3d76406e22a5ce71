package tidegate
package own.order

import java.sql.Timestamp

import org.apache.spark.sql.DataFrame
import tidegate.own.{HarnessTest, OperatorHarness}

/** What is sent, and the numbers of the rows that leave, in their order. */
final case class OrderStep(sent: Seq[Event], left: Seq[Int]) {
  def gives(numbers: Int*): OrderStep = copy(left = numbers)
}

/** Streams that are ordered by event time. The order of rows counts, and so it is compared. */
trait OrderTest extends HarnessTest {

  override def compared(run: CollectedBatches): Map[Long, Seq[String]] =
    run.rowsByBatch.view.mapValues(_.map(KeyedStreamTest.text)).toMap

  /** With a watermark without a lag, of the whole stream. */
  def keyed(rows: DataFrame): DataFrame = rows.withKeyedWatermark("time", "0 seconds")

  def withoutTime(sub: String, n: Int): Event = Event(sub, null.asInstanceOf[Timestamp], n)

  def send(rows: Event*): OrderStep = OrderStep(rows, Nil)

  /**
   * Runs the steps without a break, with a restart before each of them, and with a batch of each
   * that fails once; `OrderProperties` runs on each kind of state store.
   *
   * @param late
   *   how many rows are late, over all steps
   */
  def scenario(title: String, late: Long = 0)(query: DataFrame => DataFrame)(
      steps: => Seq[OrderStep]
  ): Unit =
    test(title)(onOne {
      val steady = run(query, steps, "step")((run, i) => if (i == 0) run.start())
      assert(steady.lateRows.values.sum === late)
      run(query, steps, "restart before step")((run, _) => run.restart())
      run(query, steps, "failure in step") { (run, _) =>
        run.failIn = _ => true
        run.restart().settle()
        run.failIn = _ => false
        run.restart()
      }
    })

  private def run(query: DataFrame => DataFrame, steps: Seq[OrderStep], what: String)(
      begin: (OperatorHarness, Int) => Any
  ): OperatorHarness = {
    val in = feed()
    val run = harness(query(in.toDF()))
    steps.zipWithIndex.foreach { case (step, i) =>
      in.addData(step.sent)
      begin(run, i)
      withClue(s"$what $i: ")(assert(numbers(run.settle()) === step.left))
    }
    run
  }

  /** Of the rows that have left since it was asked last. */
  def numbers(run: CollectedBatches): Seq[Int] = {
    val n = run.rows.map(_.getAs[Int]("n"))
    run.clear()
    n
  }
}
