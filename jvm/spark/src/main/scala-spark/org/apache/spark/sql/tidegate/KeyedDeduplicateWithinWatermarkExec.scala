package org.apache.spark.sql.tidegate

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.SparkPlan

/**
 * Spark's deduplication within the watermark, on a watermark that may be before 1970.
 *
 * Spark asks it whether Spark's own watermark, which is 0 here, is above that of the operator, and
 * would start batches without end. Whether there is another batch is for the clock to decide.
 */
final class KeyedDeduplicateWithinWatermarkExec(
    keyExpressions: Seq[Attribute],
    child: SparkPlan,
    stateInfo: Option[StatefulOperatorStateInfo],
    eventTimeWatermarkForLateEvents: Option[Long],
    eventTimeWatermarkForEviction: Option[Long]
) extends StreamingDeduplicateWithinWatermarkExec(
      keyExpressions,
      child,
      stateInfo,
      eventTimeWatermarkForLateEvents,
      eventTimeWatermarkForEviction
    ) {

  override def shouldRunAnotherBatch(newInputWatermark: Long): Boolean = false

  override def nodeName: String = "StreamingDeduplicateWithinWatermark"

  override protected def withNewChildInternal(
      newChild: SparkPlan
  ): StreamingDeduplicateWithinWatermarkExec =
    new KeyedDeduplicateWithinWatermarkExec(
      keyExpressions,
      newChild,
      stateInfo,
      eventTimeWatermarkForLateEvents,
      eventTimeWatermarkForEviction
    )
}

object KeyedDeduplicateWithinWatermarkExec {

  /** The operator on this watermark, in epoch ms, which drops no late rows itself. */
  def apply(
      operator: StreamingDeduplicateWithinWatermarkExec,
      watermarkMs: Long
  ): KeyedDeduplicateWithinWatermarkExec =
    new KeyedDeduplicateWithinWatermarkExec(
      operator.keyExpressions,
      operator.child,
      operator.stateInfo,
      None,
      Some(watermarkMs)
    )
}
