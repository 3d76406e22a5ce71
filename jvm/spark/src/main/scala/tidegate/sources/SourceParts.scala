package tidegate.sources

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.connector.read.streaming.SparkDataStream
import org.apache.spark.sql.execution.datasources.v2.StreamingDataSourceV2ScanRelation
import org.apache.spark.sql.tidegate.{StreamExecutionContext, StreamingExecutionRelation}
import org.json4s.JsonAST.{JInt, JObject}
import org.json4s.jackson.JsonMethods.parseOpt
import tidegate.operators.StatefulOperators
import tidegate.plans.{ColumnOrigin, KeyedWatermark}
import tidegate.statistics.SubstreamNode

/**
 * The substreams of a watermark node that its source itself reports: the partitions of topics. The
 * offsets of Kafka's source name them. So it is known for each partition, even for one that was
 * never read, whether it has rows that the query has not read.
 *
 * @param source
 *   a source whose offsets have Kafka's format: `{"topic":{"0":42}}`
 * @param name
 *   what the substream of a topic and a partition is called
 */
private[tidegate] final class SourceParts(
    source: SparkDataStream,
    name: (String, String) => String
) {

  private var last =
    (Option.empty[String], Option.empty[String], Option.empty[Map[String, Boolean]])

  /**
   * For every part, whether the query has yet to read rows that the source had reported in a round;
   * `None` if the source has reported no part. The result is the same object as long as nothing
   * changes: an idle query asks some 95 times a second.
   */
  def unread(round: StreamExecutionContext): Option[Map[String, Boolean]] = {
    val latest = round.latestOffsets.get(source).map(_.json)
    val end = round.endOffsets.get(source).map(_.json)
    if (last._1 != latest || last._2 != end) {
      last = (latest, end, Some(unread(latest, end)).filter(_.nonEmpty))
    }
    last._3
  }

  /**
   * How many rows of each part the source has reported in a round that the query has yet to read,
   * as far as they have numbers: a topic may lack some. Without parts of which a beginning is not
   * known.
   */
  def unreadRows(round: StreamExecutionContext): Map[String, Long] = {
    val read = SourceParts.offsets(round.endOffsets.get(source).map(_.json))
    SourceParts
      .offsets(round.latestOffsets.get(source).map(_.json))
      .groupBy { case ((topic, partition), _) => name(topic, partition) }
      .collect {
        case (part, own) if own.keys.forall(read.contains) =>
          part -> own.map { case (at, latest) => math.max(0L, latest - read(at)) }.sum
      }
  }

  private def unread(latest: Option[String], end: Option[String]): Map[String, Boolean] = {
    val read = SourceParts.offsets(end)
    SourceParts
      .offsets(latest)
      .toSeq
      .groupMapReduce { case ((topic, partition), _) => name(topic, partition) } {
        case (part, offset) => read.get(part).forall(_ < offset)
      }(_ || _)
  }
}

private[tidegate] object SourceParts {
  private val Topic = "topic"
  private val Partition = "partition"

  /**
   * The parts of the source of a node, if each of its substream columns is Kafka's topic or
   * partition, unchanged.
   */
  def of(node: KeyedWatermark): Option[SourceParts] =
    if (node.substream.isEmpty || StatefulOperators.existIn(node.left)) None
    else {
      val origins = node.substream.map(ColumnOrigin.relation(node.left, _).collect {
        case (r: StreamingDataSourceV2ScanRelation, column) => r -> column
      })
      origins.flatten match {
        case found if found.size < origins.size || !isOfOneTopicSource(found) => None
        case found                                                            =>
          val columns = found.map(_._2.name)
          Some(
            new SourceParts(
              found.head._1.stream,
              (topic, partition) =>
                SubstreamNode.name(columns.map(c => if (c == Topic) topic else partition))
            )
          )
      }
    }

  /** The sources of rows of a node. */
  def sourcesOf(node: KeyedWatermark): Seq[SparkDataStream] = node.left.collect {
    case r: StreamingDataSourceV2ScanRelation => r.stream
    case r: StreamingExecutionRelation        => r.source
  }

  private type Origin = (StreamingDataSourceV2ScanRelation, Attribute)

  private def isOfOneTopicSource(origins: Seq[Origin]): Boolean = {
    val (relation, _) = origins.head
    val own = Set(Topic, Partition)
    origins.forall { case (r, column) => (r.stream eq relation.stream) && own(column.name) } &&
    own.forall(name => relation.output.exists(_.name == name))
  }

  /** The offsets in a text, by topic and partition. */
  private def offsets(json: Option[String]): Map[(String, String), Long] = {
    for {
      topics <- json.flatMap(parseOpt(_)).toSeq.collect { case o: JObject => o.obj }
      (topic, partitions: JObject) <- topics
      (partition, JInt(n)) <- partitions.obj
    } yield (topic, partition) -> n.toLong
  }.toMap
}
