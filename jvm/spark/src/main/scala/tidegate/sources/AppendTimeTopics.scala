package tidegate.sources

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.connector.read.streaming.SparkDataStream
import org.apache.spark.sql.execution.datasources.v2.StreamingDataSourceV2ScanRelation
import org.apache.spark.sql.kafka010.SourceTopics
import tidegate.errors.QueryErrors

/**
 * When a query starts, verifies that its topics use `LogAppendTime`, before a row is read. Rows are
 * checked as well: the settings of a topic may be hidden, a topic may be added later, and it may
 * hold rows that were written before its settings were changed.
 */
private[tidegate] object AppendTimeTopics {
  private val Kafka = "org.apache.spark.sql.kafka010.KafkaMicroBatchStream"

  /** @throws AnalysisException if a topic is known to use other timestamps */
  def check(plan: LogicalPlan): Unit =
    for {
      source <- plan.collect {
        case Project(columns, r: StreamingDataSourceV2ScanRelation)
            if columns.exists(CheckAppendTime.isIn) =>
          r.stream
      }
      (topic, kind) <- kinds(source)
      if kind != "LogAppendTime"
    } throw QueryErrors.notAppendTime(topic, kind)

  private def kinds(source: SparkDataStream): Map[String, String] =
    if (source.getClass.getName != Kafka) Map.empty
    else
      try SourceTopics.settings(source, "message.timestamp.type")
      catch {
        // This jar cannot see Spark's connector, for example because the connector was added to the
        // session later; or it is another version than this code was compiled with.
        case _: LinkageError => Map.empty
      }
}
