package tidegate.kafka

import java.sql.Timestamp

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, Encoders}
import tidegate._

/**
 * Jobs on Kafka with `withWatermark`, unchanged: the partitions become substreams by themselves.
 */
class ReplacedKafkaSuite extends KafkaTest {

  override protected def atNight: Seq[String] = Seq(
    "a filter and a view",
    "rows that are exploded",
    "columns that are there",
    "a projection",
    "a union: no row"
  )

  import SkewedTopic._

  private def replacing[T](body: => T): T =
    withConf("spark.tidegate.replaceWithWatermark" -> "true")(body)

  /** As most jobs read a topic: neither its name nor the partition is among the columns. */
  private def payload(topic: String): DataFrame =
    subscribe(topic, limit).select(col("value").cast("string").as("text"), col("time"))

  private def job(rows: DataFrame): DataFrame = counts(rows.withWatermark("time", "5 seconds"))

  private def substreams(run: Run): Set[String] =
    watermarks(run.query).watermarks.values.flatMap(_.substreams.keySet).toSet

  private def names(topics: Seq[String], partitions: Range): Set[String] =
    (for (t <- topics; p <- partitions) yield s"$t/$p").toSet

  private val shapes = Seq[(String, Seq[String] => DataFrame)](
    "a projection" -> (topics => payload(topics.head)),
    "a filter and a view" -> { topics =>
      payload(topics.head).where("text IS NOT NULL").createOrReplaceTempView("payload")
      spark.sql("SELECT time, upper(text) AS upper FROM payload AS p WHERE p.time IS NOT NULL")
    },
    "rows that are exploded" -> { topics =>
      payload(topics.head).select(col("time"), explode(split(col("text"), "#")))
    },
    "a union" -> (topics => topics.map(payload).reduce(_ union _)),
    "columns that are there already" -> (topics => subscribe(topics.head, limit))
  )

  shapes.foreach { case (title, rows) =>
    test(s"$title: no row of a slower partition is dropped") {
      val topics = Seq.fill(if (title == "a union") 2 else 1)(newTopic(Slow + 1))
      topics.foreach(send(_, first: _*))
      replacing {
        val run = new Run(job(rows(topics))).start().settle()
        topics.foreach(send(_, last(0 to Slow): _*))
        run.restart().settle()
        assert(run.lateRows === Map.empty)
        assert(substreams(run) === names(topics, 0 to Slow))
        val columns = rows(topics).columns.toSeq
        assert(run.running.nodes.head.output.map(_.name).take(columns.size) === columns)
        if (topics.size == 1) assert(run.answer === batchResult(topics.head, 2000))
      }
    }
  }

  test("rows that were made anew have no partition: one stream, as with Spark") {
    val topic = newTopic(Slow + 1)
    send(topic, first: _*)
    replacing {
      val typed = payload(topic).select("time").as(Encoders.TIMESTAMP)
      val anew = typed.map(ReplacedKafkaSuite.same)(Encoders.TIMESTAMP).toDF("time")
      val run = new Run(job(anew)).start().settle()
      assert(substreams(run) === Set("*"))
    }
  }
}

object ReplacedKafkaSuite {
  private val same: Timestamp => Timestamp = identity
}
