package tidegate.kafka

import java.util.concurrent.CountDownLatch

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.streaming.StreamingQueryException
import tidegate._

/** Snapshots of queries on Kafka: a fork reads on beside the original, and has the same rows. */
class KafkaSnapshotSuite extends KafkaTest {
  import SkewedTopic._

  private def frame(topic: String): DataFrame = counts(keyed(subscribe(topic, limit)))

  /** Sorted. After a start, time becomes visible a trigger later, so the batches are others. */
  private def rowsAfter(run: Run, batch: Long): Seq[String] =
    run.byBatch.filter { case (id, _) => id > batch }.values.flatten.toSeq.sorted

  test("exported within a batch: the fork runs the batch again, and has the same rows") {
    // There, Spark's connector fails after a batch that a restart runs again (SPARK-55271).
    assume(!spark.version.startsWith("4.1."))
    val topic = newTopic(Added + 1)
    send(topic, first ++ later ++ last(0 to Added): _*)
    val folder = TempFolders.create("kafka")
    val (path, checkpoint) = (folder.resolve("snapshot"), folder.resolve("checkpoint"))
    val original = new Run(frame(topic))
    val (isThere, goesOn) = (new CountDownLatch(1), new CountDownLatch(1))
    original.failIn = { batch =>
      if (batch == 3) {
        isThere.countDown()
        goesOn.await()
      }
      false
    }
    original.start()
    isThere.await()
    val exported = exportSnapshot(original.query, path.toString)
    goesOn.countDown()
    original.settle()
    assert(exported.batchId === 2)

    startSnapshot(path.toString, checkpoint.toString)
    val fork = new Run(frame(topic), checkpoint).start()
    // There, Spark's connector fails when a batch that a restart ran again is done (SPARK-55271).
    if (spark.version.startsWith("4.1.")) {
      val error = intercept[StreamingQueryException](fork.query.processAllAvailable())
      assert(error.getCause.getStackTrace.head.getClassName.contains("KafkaMicroBatchStream"))
      fork.start()
    }
    fork.settle()
    assert(original.byBatch(3).nonEmpty)
    assert(fork.byBatch(3) === original.byBatch(3))
    assert(fork.answer === rowsAfter(original, 2))
    assert(fork.watermark("time") === original.watermark("time"))
    assert(original.lateRows === Map.empty)
    assert(fork.lateRows === Map.empty)
    assert(original.answer === batchResult(topic, 2000))
  }

  test("both read on side by side, also a partition that is added after the export") {
    val topic = newTopic(Slow + 1)
    send(topic, first: _*)
    val folder = TempFolders.create("kafka")
    val (path, checkpoint) = (folder.resolve("snapshot"), folder.resolve("checkpoint"))
    val original = new Run(frame(topic)).start().settle()
    val exported = exportSnapshot(original.query, path.toString)
    val before = original.answer

    val stages = inspectSnapshot(path.toString).stages
    val substreams = stages.filter(_.kind == "substream")
    assert(substreams.map(_.stage) === (0 to Slow).map(n => s"$topic/$n"))
    val source = stages.filter(_.kind == "source")
    assert(source.map(_.stage) === Seq(s"KafkaV2[Subscribe[$topic]]"))
    assert(source.map(_.detail) === Seq(original.query.lastProgress.sources.head.endOffset))

    startSnapshot(path.toString, checkpoint.toString)
    val fork = new Run(frame(topic), checkpoint).start()
    val both = Seq(original, fork)
    client.addPartitions(topic, Added + 1)
    awaitUntil(both.forall(_.settle().query.lastProgress.sources.exists { source =>
      Option(source.endOffset).exists(_.contains(s""""$Added":"""))
    }))
    send(topic, later: _*)
    both.foreach(_.settle())
    send(topic, last(0 to Added): _*)
    both.foreach(_.settle())

    val wanted = rowsAfter(original, exported.batchId)
    assert(wanted.nonEmpty)
    assert(fork.answer === wanted)
    assert(fork.lateRows === Map.empty)
    assert((before ++ fork.answer).sorted === batchResult(topic, 2000))
  }
}
