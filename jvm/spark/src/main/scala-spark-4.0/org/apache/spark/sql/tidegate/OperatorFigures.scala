package org.apache.spark.sql.tidegate

import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.util.CollectionAccumulator

/** The figures of this operator. */
final case class OperatorFigures()(@transient private val of: StateStoreWriter)
    extends FiguresOfOperator {

  override lazy val metrics: Map[String, SQLMetric] = of.metrics

  override val checkpointInfoAccumulator
      : CollectionAccumulator[StatefulOpStateStoreCheckpointInfo] = of.checkpointInfoAccumulator
}

object OperatorFigures {

  /** Made by the driver. */
  def of(operator: StateStoreWriter): OperatorFigures = {
    val figures = OperatorFigures()(operator)
    // Tasks cannot make them.
    figures.metrics
    figures
  }
}
