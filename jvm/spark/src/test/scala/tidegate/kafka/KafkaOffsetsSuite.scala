package tidegate.kafka

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.execution.datasources.v2.StreamingDataSourceV2ScanRelation
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.kafka010.SourceTopics
import org.apache.spark.sql.streaming.SourceProgress
import org.apache.spark.sql.tidegate.SparkInternals

/** What Spark's source of Kafka tells the driver, on which the clock relies. */
class KafkaOffsetsSuite extends KafkaTest {

  /** The parts of the last progress that is about rows. */
  private def progress(run: Run): SourceProgress =
    run.query.recentProgress.flatMap(_.sources).filter(_.numInputRows > 0).last

  private def relation(run: Run): StreamingDataSourceV2ScanRelation =
    SparkInternals
      .execution(run.query)
      .get
      .logicalPlan
      .collectFirst { case r: StreamingDataSourceV2ScanRelation => r }
      .get

  test("offsets are JSON by topic and partition, those without rows included") {
    val topic = newTopic(3)
    send(topic, (0 until 30).map(n => record(0, n.toDouble)) :+ record(1, 0): _*)
    val run = new Run(subscribe(topic, "maxOffsetsPerTrigger" -> "10")).start().settle()
    val all = run.query.recentProgress.flatMap(_.sources).filter(_.numInputRows > 0)
    assert(all.head.startOffset === null)
    // In proportion to what is unread, at least one of each.
    assert(all.head.endOffset === s"""{"$topic":{"0":9,"1":1,"2":0}}""")
    // What there is, whatever the limit.
    assert(all.map(_.latestOffset).toSet === Set(s"""{"$topic":{"0":30,"1":1,"2":0}}"""))
    assert(all.last.endOffset === all.last.latestOffset)
  }

  test("a new partition is in the next end and not in the start of that batch") {
    val topic = newTopic(1)
    val run = new Run(subscribe(topic)).start()
    send(topic, record(0, 1))
    run.settle()
    run.stop()
    client.addPartitions(topic, 2)
    send(topic, record(1, 1))
    run.start().settle()
    assert(progress(run).startOffset === s"""{"$topic":{"0":1}}""")
    assert(progress(run).endOffset === s"""{"$topic":{"0":1,"1":1}}""")
    assert(progress(run).latestOffset === s"""{"$topic":{"0":1,"1":1}}""")
  }

  test("a new partition without rows makes a batch of its own") {
    val topic = newTopic(1)
    val run = new Run(subscribe(topic)).start()
    send(topic, record(0, 1))
    // The query may have begun before the record was there, with a batch of its own.
    val batches = run.settle().batchCount
    client.addPartitions(topic, 2)
    awaitUntil(run.settle().batchCount > batches)
    assert(run.query.lastProgress.sources.head.endOffset === s"""{"$topic":{"0":1,"1":0}}""")
  }

  private def kinds(topic: String): Run = {
    val run = new Run(subscribe(topic).select(col("timestampType"), col("time"))).start()
    send(topic, record(0, 1))
    run.settle()
  }

  test("the plan has the options of the source") {
    val topic = newTopic(1)
    val source = relation(kinds(topic))
    val options = source.relation.options.asCaseSensitiveMap.asScala
    assert(options("kafka.bootstrap.servers") === broker.address)
    assert(options("subscribe") === topic)
    assert(source.stream.getClass.getSimpleName === "KafkaMicroBatchStream")
  }

  test("each row has the kind of its time, and the topic can be asked for it before any row") {
    def asked(run: Run) = SourceTopics.settings(relation(run).stream, "message.timestamp.type")
    val created = newTopic(1)
    val appended = newTopic(1, "message.timestamp.type" -> "LogAppendTime")
    val ofProducer = kinds(created)
    val ofBroker = kinds(appended)
    assert(ofProducer.rows.map(_.getInt(0)) === Seq(0))
    assert(ofProducer.rows.map(_.getTimestamp(1)) === Seq(at(1)))
    assert(asked(ofProducer) === Map(created -> "CreateTime"))
    assert(ofBroker.rows.map(_.getInt(0)) === Seq(1))
    assert(ofBroker.rows.forall(_.getTimestamp(1).after(at(1700000000))))
    assert(asked(ofBroker) === Map(appended -> "LogAppendTime"))
  }
}
