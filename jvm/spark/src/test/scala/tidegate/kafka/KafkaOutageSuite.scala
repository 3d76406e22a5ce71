package tidegate.kafka

import org.apache.kafka.common.errors.TimeoutException
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.streaming.StreamingQueryException
import org.scalatest.BeforeAndAfterAll

/** A broker that is away. It is this suite's own: no other is without one for that. */
class KafkaOutageSuite extends KafkaTest with BeforeAndAfterAll {
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

  test("away at the start: Spark's error, and a start when it is there reads everything") {
    val topic = newMinute()
    var fails = true
    val run = new Run(windows(topic, fails))
    broker.stop()
    val error =
      try intercept[StreamingQueryException](run.start().settle())
      finally broker.start()
    assertOfKafka[TimeoutException](error)
    assert(run.batchCount === 0)

    fails = false
    run.start().settle()
    assert(run.lateRows === Map.empty)
    assert(run.answer === batchResult(topic, 2000))
  }

  test("away in the middle: Spark's error ends the query, and the next run loses nothing") {
    val topic = newMinute()
    var fails = true
    val run = new Run(windows(topic, fails))
    run.failIn = id => { if (id == 1) broker.stop(); false }
    val error =
      try intercept[StreamingQueryException](run.start().settle())
      finally broker.start()
    assertOfKafka[TimeoutException](error)
    assert(run.rowsByBatch.keySet === Set(0L, 1L))

    fails = false
    run.failIn = _ => false
    run.start().settle()
    assert(run.lateRows === Map.empty)
    assert(run.answer === batchResult(topic, 2000))
  }
}
