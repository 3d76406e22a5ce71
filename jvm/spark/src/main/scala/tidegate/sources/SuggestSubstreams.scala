package tidegate.sources

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import tidegate.plans.{ColumnOrigin, KeyedWatermark}

/**
 * Logs a warning for a watermark over Kafka that has no substreams although it could: its time
 * follows the fastest partition, and rows of slower partitions are late.
 */
object SuggestSubstreams extends Logging {
  private val Columns = Seq("topic", "partition")

  def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreach {
      case k: KeyedWatermark if k.substream.isEmpty && hasPartitions(k.left) =>
        logWarning(
          s"The watermark `${k.spec.name}` takes all partitions of Kafka for one stream: it " +
            "follows the fastest, and the rows of slower ones are late. The columns `topic` and " +
            """`partition` are there: pass substream=["topic", "partition"] so that none is left """ +
            "behind."
        )
      case _ =>
    }
    plan
  }

  private def hasPartitions(input: LogicalPlan): Boolean = input.exists {
    case r: StreamingRelationV2 if ColumnOrigin.isKafka(r) =>
      Columns.forall(name => r.output.exists(a => a.name == name && input.outputSet.contains(a)))
    case _ => false
  }
}
