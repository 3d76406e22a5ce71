package org.apache.spark.sql.tidegate

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.ExtendedAnalysisException
import org.apache.spark.sql.catalyst.analysis.UnsupportedOperationChecker
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.streaming.OutputMode

/** What Spark refuses of a streaming query. */
object SparkRefusals {

  /** The error with which Spark refuses a query, if it does. */
  def of(query: LogicalPlan, mode: OutputMode): Option[AnalysisException] =
    try {
      UnsupportedOperationChecker.checkForStreaming(query, mode)
      None
    } catch { case e: AnalysisException => Some(e) }

  /** The operator that an error is about, which Spark shows below its sentence. */
  def operator(error: AnalysisException): Option[LogicalPlan] = error match {
    case e: ExtendedAnalysisException => e.plan
    case _                            => None
  }

  /** The error without the plan below its sentence. */
  def inOneSentence(error: AnalysisException): AnalysisException =
    // Spark takes null for no plan. Constructors without a plan differ between versions.
    new ExtendedAnalysisException(error, null)
}
