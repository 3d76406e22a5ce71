package tidegate.kafka

import scala.util.Random

/** The process of a query is killed, as the machine would, and started again. */
class KafkaKillSuite extends KafkaTest {
  import SkewedTopic._

  test("killed at random moments: the windows are those of the batch result") {
    val topic = newTopic(Slow + 1)
    send(topic, first: _*)
    val query = new KilledQuery(broker.address, topic)
    val shutdown = sys.addShutdownHook(query.close())
    val seed = Random.nextInt()
    val random = new Random(seed)

    /** Killed while it runs one of the batches after the next one. */
    def runAndKill(): Unit = {
      query.start()
      query.prepare()
      val some = query.batches + 1 + random.nextInt(2)
      awaitWhileAlive(query)(query.batches >= some)
      query.kill()
    }

    try
      withClue(s"seed $seed: ") {
        runAndKill()
        client.addPartitions(topic, Added + 1)
        send(topic, later: _*)
        runAndKill()
        send(topic, last(0 to Added): _*)
        val expected = batchResult(topic, 2000)
        query.start()
        awaitWhileAlive(query)(query.windows.size >= expected.size)
        assert(query.windows === expected)
      }
    finally {
      query.close()
      shutdown.remove()
    }
  }

  private def awaitWhileAlive(query: KilledQuery)(condition: => Boolean): Unit = {
    awaitUntil(query.failure.isDefined || condition)
    assert(query.failure === None)
  }
}
