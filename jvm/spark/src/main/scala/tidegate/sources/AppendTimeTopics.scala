package tidegate.sources

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.connector.read.streaming.SparkDataStream
import org.apache.spark.sql.execution.datasources.v2.StreamingDataSourceV2ScanRelation
import org.apache.spark.sql.kafka010.SourceTopics
import tidegate.errors.QueryErrors

/**
 * Checks of topics of Kafka whose times are taken for append times that they are set so, before
 * anything is read of them. Their rows are checked as well: a topic may not tell its settings, may
 * be added later, and has rows of before it was set so.
 */
private[tidegate] object AppendTimeTopics {
  private val Kafka = "org.apache.spark.sql.kafka010.KafkaMicroBatchStream"

  /** @throws AnalysisException if a topic is known to have other times */
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
        // Spark's connector is hidden from this jar, as if it was added to a session later; or it
        // is another than the one that this was compiled with.
        case _: LinkageError => Map.empty
      }
}
