package tidegate

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.tidegate.SparkInternals
import tidegate.analysis.{
  CompleteWindowKeys,
  ExplainStreams,
  KeepOneClock,
  KeyTransformWithStateOutput,
  LowerSessions,
  RefreshViewColumns,
  ResolveBoundsFollow,
  SpellOutBounds
}
import tidegate.checks.{
  CheckJoins,
  CheckKeyedTime,
  CheckOrderModes,
  CheckSessions,
  CheckWindowUnions,
  CheckWindowedAggregates
}
import tidegate.errors.Conditions
import tidegate.planning.{BindWatermarkFunctions, BindWatermarks, KeyedWatermarkStrategy}
import tidegate.preparation.{PlanFrames, PrepareStreamingQuery}
import tidegate.sql.parser.TidegateSqlParser
import tidegate.sql.{
  ClaimLateCalls,
  ResolveEventTimeCalls,
  ResolveWatermarkFunctions,
  WatermarkFunctions
}

/**
 * The entry point: `spark.sql.extensions=tidegate.TidegateExtensions`.
 *
 * Example: `spark-submit --jars tidegate.jar --conf
 * spark.sql.extensions=tidegate.TidegateExtensions app.py`.
 */
final class TidegateExtensions extends (SparkSessionExtensions => Unit) {

  override def apply(extensions: SparkSessionExtensions): Unit = {
    Conditions.register()

    // In the parser, as rules come too late: Spark would have refused the spellings of the calls, or
    // have looked for functions with their names.
    extensions.injectParser((_, delegate) => new TidegateSqlParser(delegate))

    // With the hints, as Spark's own rule for this node refuses it before resolution rules run.
    extensions.injectHintResolutionRule(_ => KeyTransformWithStateOutput)

    // Before Spark's check of output modes, which names no column.
    extensions.injectHintResolutionRule(_ => CheckWindowedAggregates)

    // Before that check too, which does not know the operator.
    extensions.injectHintResolutionRule(_ => CheckOrderModes)

    // Calls that only get their name here, before Spark looks for a function of this name.
    extensions.injectHintResolutionRule(s => ClaimLateCalls(SparkInternals.isFunction(s, _)))

    // Spark drops a hint that it does not know after these rules.
    extensions.injectHintResolutionRule(_ => ResolveBoundsFollow)

    extensions.injectResolutionRule(s => ClaimLateCalls(SparkInternals.isFunction(s, _)))

    extensions.injectResolutionRule(_ => ResolveEventTimeCalls)

    WatermarkFunctions.all.foreach(extensions.injectFunction)

    extensions.injectResolutionRule(_ => ResolveWatermarkFunctions)

    // First, as the others go by the marks.
    extensions.injectPostHocResolutionRule(_ => RefreshViewColumns)

    // After resolution: what an aggregation is grouped by is only known then.
    extensions.injectPostHocResolutionRule(_ => LowerSessions)

    // Before Spark's checks of a streaming query, which look for the tag among the keys.
    extensions.injectPostHocResolutionRule(_ => CompleteWindowKeys)

    // After resolution, and for every frame: Spark's check for sources of the same name, when the
    // query starts, must already see a single clock.
    extensions.injectPostHocResolutionRule(_ => KeepOneClock)

    // Before Spark's check of joins, when the query starts.
    extensions.injectPostHocResolutionRule(_ => SpellOutBounds)

    // When a query starts: Spark has checked its plan, and each batch will see the result.
    extensions.injectPostHocResolutionRule(_ => PrepareStreamingQuery)

    // Before the command runs.
    extensions.injectPostHocResolutionRule(s => ExplainStreams(SparkInternals.analyze(s, _)))

    extensions.injectCheckRule(_ => CheckKeyedTime)

    extensions.injectCheckRule(_ => CheckJoins)

    extensions.injectCheckRule(_ => CheckSessions)

    extensions.injectCheckRule(_ => CheckWindowUnions)

    // After the analysis, as Spark knows aggregates in aggregations only; and before the optimizer
    // has made something else of the windows.
    extensions.injectPlanNormalizationRule(_ => PlanFrames)

    extensions.injectPlannerStrategy(KeyedWatermarkStrategy(_))

    // After Spark has put its global watermark into the stateful operators.
    extensions.injectColumnar(_ => BindWatermarks)

    extensions.injectColumnar(_ => BindWatermarkFunctions)
  }
}
