package tidegate.sources

import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.connector.read.streaming.SparkDataStream
import org.apache.spark.sql.execution.datasources.v2.StreamingDataSourceV2ScanRelation
import org.apache.spark.sql.kafka010.SourceTopics
import tidegate.errors.QueryErrors

/**
 * When a query starts, verifies that its topics use `LogAppendTime`, before a row is read. Rows are
 * checked as well: a topic may keep its settings to itself, may be added later, and may hold rows
 * that were written before it was changed.
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
