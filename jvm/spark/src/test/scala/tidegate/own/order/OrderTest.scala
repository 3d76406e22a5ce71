package tidegate
package own.order

import java.sql.Timestamp

import org.apache.spark.sql.DataFrame

/** What is sent, and the numbers of the rows that leave, in their order. */
final case class OrderStep(sent: Seq[Event], left: Seq[Int]) {
  def gives(numbers: Int*): OrderStep = copy(left = numbers)
}

/** Streams that are ordered by event time. The order of rows counts, and so it is compared. */
trait OrderTest extends RestartTest {

  override def compared(run: Run): Map[Long, Seq[String]] =
    run.rowsByBatch.view.mapValues(_.map(KeyedStreamTest.text)).toMap

  /** The test once on each state store that is tested. */
  def onStores(title: String)(body: => Unit): Unit =
    StateStoreKind.tested.foreach(onStore(title, _)(body))

  private def onStore(title: String, store: StateStoreKind)(body: => Unit): Unit =
    test(s"$title, on ${store.name}") {
      withConf(store.conf.toSeq: _*)(body)
    }

  /** With a watermark without a lag, of the whole stream. */
  def keyed(rows: DataFrame): DataFrame = rows.withKeyedWatermark("time", "0 seconds")

  def withoutTime(sub: String, n: Int): Event = Event(sub, null.asInstanceOf[Timestamp], n)

  def send(rows: Event*): OrderStep = OrderStep(rows, Nil)

  /**
   * Runs the steps without a break, with a restart before each of them, and with a batch of each
   * that fails once; on both state stores.
   *
   * @param late
   *   how many rows are late, over all steps
   */
  def scenario(title: String, late: Long = 0)(query: DataFrame => DataFrame)(
      steps: => Seq[OrderStep]
  ): Unit =
    for (store <- Seq(StateStoreKind.hdfs, StateStoreKind.changelog)) onStore(title, store) {
      val run = steady(query, steps)
      assert(run.lateRows.values.sum === late)
      run.stop()
      restarted(query, steps)
      failing(query, steps)
    }

  private def steady(query: DataFrame => DataFrame, steps: Seq[OrderStep]): Run = {
    val in = events()
    val run = new Run(query(in.toDF())).start()
    steps.zipWithIndex.foreach { case (step, i) =>
      in.addData(step.sent)
      withClue(s"step $i: ")(assert(numbers(run.settle()) === step.left))
    }
    run
  }

  private def restarted(query: DataFrame => DataFrame, steps: Seq[OrderStep]): Unit = {
    val in = events()
    val run = new Run(query(in.toDF())).start()
    steps.zipWithIndex.foreach { case (step, i) =>
      run.restart()
      in.addData(step.sent)
      withClue(s"restart before step $i: ")(assert(numbers(run.settle()) === step.left))
    }
    run.stop()
    ()
  }

  private def failing(query: DataFrame => DataFrame, steps: Seq[OrderStep]): Unit = {
    val in = events()
    val run = new Run(query(in.toDF()))
    steps.zipWithIndex.foreach { case (step, i) =>
      in.addData(step.sent)
      run.failIn = _ => true
      run.start().awaitEnd()
      run.failIn = _ => false
      val left = numbers(run.start().settle())
      run.stop()
      withClue(s"failure in step $i: ")(assert(left === step.left))
    }
  }

  /** Of the rows that have left since it was asked last. */
  private def numbers(run: Run): Seq[Int] = {
    val n = run.rows.map(_.getAs[Int]("n"))
    run.clear()
    n
  }
}
