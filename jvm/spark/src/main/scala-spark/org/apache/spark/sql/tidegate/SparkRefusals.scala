package org.apache.spark.sql.tidegate

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.ExtendedAnalysisException
import org.apache.spark.sql.catalyst.analysis.{
  CleanupAliases,
  PullOutNondeterministic,
  UnsupportedOperationChecker,
  UpdateOuterReferences
}
import org.apache.spark.sql.catalyst.optimizer.InlineCTE
import org.apache.spark.sql.catalyst.plans.logical.{AnalysisHelper, LogicalPlan}
import org.apache.spark.sql.classic.ClassicConversions.castToImpl
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.{AnalysisException, SparkSession}

/** What Spark refuses. */
object SparkRefusals {

  /**
   * The error with which Spark refuses a plan that it has analyzed but for its last rules, without
   * the plan.
   */
  def ofAnalysis(session: SparkSession, plan: LogicalPlan): Option[AnalysisException] =
    try {
      val inlined = InlineCTE(alwaysInline = true, keepDanglingRelations = true)(plan)
      castToImpl(session).sessionState.analyzer.checkAnalysis0(asChecked(inlined))
      None
    } catch {
      case e: AnalysisException => Some(e)
      // What else goes wrong does so again in Spark's own check, if it comes to that.
      case NonFatal(_) => None
    }

  /** What Spark does to a plan before it checks the plan. */
  private def asChecked(plan: LogicalPlan): LogicalPlan =
    AnalysisHelper.allowInvokingTransformsInAnalyzer {
      Seq(PullOutNondeterministic, UpdateOuterReferences, CleanupAliases)
        .foldLeft(plan)((last, rule) => rule(last))
    }

  /** The error with which Spark refuses a streaming query, if it does. */
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
