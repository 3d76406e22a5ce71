package tidegate.kafka

import org.apache.kafka.common.errors.TimeoutException
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.streaming.StreamingQueryException
import org.scalatest.BeforeAndAfterAll

/** A broker that is away. It is this suite's own: no other is without one for that. */
class KafkaOutageSuite extends KafkaTest with BeforeAndAfterAll {

  override protected def atNight: Seq[String] = Seq("away in the middle")

  override protected lazy val broker: KafkaBroker =
    KafkaTest.newBroker(KafkaBroker.comesBackSoon: _*)
  override protected lazy val client: KafkaClient = new KafkaClient(broker.address)

  override protected def afterAll(): Unit = {
    client.close()
    broker.close()
    super.afterAll()
  }

  /** Gives up early, for as long as it is to fail. */
  private def windows(topic: String, fails: Boolean): DataFrame = {
    val options = if (fails) KafkaTest.impatient else Nil
    counts(keyed(subscribe(topic, options :+ ("maxOffsetsPerTrigger" -> "50"): _*)))
  }

  private def newMinute(): String = {
    val topic = newTopic(2)
    send(topic, (0 until 120).map(n => record(n % 2, 1000 + n * 0.5 + (n * 7 % 9) * 0.5)): _*)
    send(topic, SkewedTopic.last(0 to 1): _*)
    topic
  }

  test("away in the middle of a query and at the start of one: Spark's errors, nothing is lost") {
    val topic = newMinute()
    var fails = true
    val running, starting = new Run(windows(topic, fails))
    running.failIn = id => { if (id == 1) broker.stop(); false }
    try {
      running.start()
      awaitUntil(running.batchCount == 2)
      starting.start()
      for (run <- Seq(running, starting))
        assertOfKafka[TimeoutException](intercept[StreamingQueryException](run.settle()))
    } finally broker.start()
    assert(running.rowsByBatch.keySet === Set(0L, 1L))
    assert(starting.batchCount === 0)

    fails = false
    running.failIn = _ => false
    for (run <- Seq(running, starting)) {
      run.start().settle()
      assert(run.lateRows === Map.empty)
      assert(run.answer === batchResult(topic, 2000))
    }
  }
}
