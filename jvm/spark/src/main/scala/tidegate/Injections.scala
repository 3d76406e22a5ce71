package tidegate

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.tidegate.{LaterKeywords, SparkInternals, SparkRefusals}
import tidegate.analysis.{
  AppendBelowUpdates,
  CompleteWindowKeys,
  DropOperatorNames,
  ExplainStreams,
  KeepOneClock,
  KeyTransformWithStateOutput,
  LowerAntiJoins,
  LowerDistinct,
  LowerOver,
  LowerSessions,
  LowerSorts,
  LowerSubqueries,
  LowerTopN,
  RefreshLateTables,
  RefreshViewColumns,
  ResolveBoundsFollow,
  ResolveOperatorNames,
  SpellOutBounds
}
import tidegate.checks.{
  CheckJoins,
  CheckKeyedTime,
  CheckKeysOfStates,
  CheckOrderModes,
  CheckRealTimeMode,
  CheckSessions,
  CheckSubqueries,
  CheckUntimedAggregates,
  CheckWindowUnions,
  CheckWindowedAggregates,
  CheckWindowsInConditions,
  CheckedInRule,
  RefuseWithoutPlan,
  SayWhatHelps
}
import tidegate.errors.Conditions
import tidegate.planning.{BindWatermarkFunctions, BindWatermarks, KeyedWatermarkStrategy}
import tidegate.preparation._
import tidegate.sql.parser.TidegateSqlParser
import tidegate.sql.{
  CheckFunctionNames,
  CheckStreamTables,
  ClaimLateCalls,
  DescribeTableFunctions,
  MonitoringFunctions,
  ResolveAsOfTables,
  ResolveEventTimeCalls,
  ResolveGroupWindows,
  ResolveWatermarkFunctions,
  ResolveWindowedTimes,
  WatermarkFunctions
}

/** Everything that Tidegate adds to a session. */
private[tidegate] object Injections {

  def into(extensions: SparkSessionExtensions): Unit = {
    Conditions.register()

    // In the parser, because rules run too late: by then Spark has refused the spellings of the
    // calls, or has looked for functions with their names.
    extensions.injectParser((_, delegate) => new TidegateSqlParser(delegate))

    // With the hint rules, because Spark's own rule refuses this node before resolution rules run.
    extensions.injectHintResolutionRule(_ => KeyTransformWithStateOutput)

    // Before all rules for queries that start: what an operator may do depends on its mode.
    extensions.injectHintResolutionRule(_ => AppendBelowUpdates)

    // Before Spark's check of streams, which refuses these functions, and before the checks of
    // aggregations, which it makes of them.
    extensions.injectHintResolutionRule(_ => LowerTopN)

    // Likewise, and after the first rows of a group have been told from other functions.
    extensions.injectHintResolutionRule(_ => LowerOver)

    // Also before Spark's check of streams, which refuses DISTINCT.
    extensions.injectHintResolutionRule(_ => LowerDistinct)

    // Also before Spark's check of streams, which refuses a sort, and before those of this order.
    extensions.injectHintResolutionRule(_ => LowerSorts)

    // Before Spark's check of real-time mode, which advises another output mode first.
    extensions.injectHintResolutionRule(_ => CheckRealTimeMode)

    // Before Spark's check of output modes, whose error names no column.
    extensions.injectHintResolutionRule(_ => CheckWindowedAggregates)

    extensions.injectHintResolutionRule(_ => CheckUntimedAggregates)

    // Also before Spark's check of output modes, which does not know this operator.
    extensions.injectHintResolutionRule(_ => CheckOrderModes)

    // Before Spark's check of joins, which refuses left anti joins of streams.
    extensions.injectHintResolutionRule(_ => LowerAntiJoins)

    // Before Spark's checks of a streaming query, which say what is refused and not what helps.
    extensions.injectHintResolutionRule(_ => SayWhatHelps)

    // Before Spark looks for functions.
    extensions.injectHintResolutionRule(s => ResolveGroupWindows(SparkInternals.isFunction(s, _)))

    // For calls whose name is known only now, before Spark looks for a function of that name.
    extensions.injectHintResolutionRule(s => ClaimLateCalls(SparkInternals.isFunction(s, _)))

    // Before Spark looks for the function to describe.
    extensions.injectHintResolutionRule(s =>
      DescribeTableFunctions(SparkInternals.isFunction(s, _))
    )

    // After Spark has found out where it lists functions.
    extensions.injectPostHocResolutionRule(s =>
      DescribeTableFunctions(SparkInternals.isFunction(s, _))
    )

    // Before Spark looks for functions; its error would be about the arguments.
    extensions.injectHintResolutionRule(s => CheckFunctionNames(SparkInternals.isFunction(s, _)))

    // Before Spark looks for a table of this name.
    if (LaterKeywords.isMissing(LaterKeywords.STREAM))
      extensions.injectHintResolutionRule(CheckStreamTables(_))

    // With the hint rules, because Spark drops unknown hints right after them.
    extensions.injectHintResolutionRule(_ => ResolveBoundsFollow)

    extensions.injectHintResolutionRule(_ => ResolveOperatorNames)

    // Where a batch turns out to be one, its names go.
    extensions.injectResolutionRule(_ => ResolveOperatorNames)

    extensions.injectResolutionRule(s => ClaimLateCalls(SparkInternals.isFunction(s, _)))

    extensions.injectResolutionRule(_ => ResolveEventTimeCalls)

    // Before Spark makes windows of these times.
    extensions.injectResolutionRule(_ => ResolveWindowedTimes)

    WatermarkFunctions.all.foreach(extensions.injectFunction)

    MonitoringFunctions.all.foreach(extensions.injectTableFunction)

    extensions.injectResolutionRule(_ => ResolveWatermarkFunctions)

    // When Spark has checked the plan of a query, and before any other rule looks at the query.
    extensions.injectPostHocResolutionRule(_ => AppendBelowUpdates.undone)

    // Before the following rules, which read the marks that this rule refreshes.
    extensions.injectPostHocResolutionRule(_ => RefreshViewColumns)

    // As soon as both sides are resolved, and before the rules and checks for joins.
    extensions.injectPostHocResolutionRule(_ => ResolveAsOfTables)

    extensions.injectPostHocResolutionRule(_ => RefreshLateTables)

    // After resolution: before it, the keys of an aggregation are not known.
    extensions.injectPostHocResolutionRule(_ => LowerSessions)

    // Before Spark's checks of a streaming query, which look for the event time tag among the keys.
    extensions.injectPostHocResolutionRule(_ => CompleteWindowKeys)

    // Before the rules for joins, and before our check of subqueries and Spark's, which refuse streams.
    extensions.injectPostHocResolutionRule(_ => LowerSubqueries)

    // After resolution, and for every DataFrame: Spark's check for sources of the same name, when the
    // query starts, must already see a single clock.
    extensions.injectPostHocResolutionRule(_ => KeepOneClock)

    // Before Spark's check of joins, when the query starts.
    extensions.injectPostHocResolutionRule(_ => SpellOutBounds)

    // Before any of them is used to prepare the plan.
    extensions.injectPostHocResolutionRule(_ => CheckSettings)

    // Before Spark's checks, which find a plan that is not resolved and do not say why.
    extensions.injectPostHocResolutionRule(_ => CheckWindowsInConditions)

    // Before Spark's checks, which append the plan to what they say.
    extensions.injectPostHocResolutionRule(s => RefuseWithoutPlan(SparkRefusals.ofAnalysis(s, _)))

    // Before the plan of a query that starts is prepared.
    extensions.injectPostHocResolutionRule(_ =>
      new CheckedInRule(
        CheckKeyedTime,
        CheckJoins,
        CheckSessions,
        CheckWindowUnions,
        CheckKeysOfStates,
        CheckSubqueries
      )
    )

    // When a query starts: by then Spark has checked its plan, and every batch uses the result.
    extensions.injectPostHocResolutionRule(_ => PrepareStreamingQuery)

    // Before the command runs.
    extensions.injectPostHocResolutionRule(s => ExplainStreams(SparkInternals.analyze(s, _)))

    // When no query can start any more: it would have lowered its joins itself.
    extensions.injectPlanNormalizationRule(_ => LowerAntiJoins.ofExplained)

    extensions.injectPlanNormalizationRule(_ => LowerTopN.ofExplained)

    extensions.injectPlanNormalizationRule(_ => LowerOver.ofExplained)

    extensions.injectPlanNormalizationRule(_ => LowerDistinct.ofExplained)

    extensions.injectPlanNormalizationRule(_ => LowerSorts.ofExplained)

    // Likewise, and when anti joins are what they will be.
    extensions.injectPlanNormalizationRule(_ => PrepareExplained)

    // When no query can start any more: the optimizer looks through the plan.
    extensions.injectPlanNormalizationRule(_ => DropOperatorNames)

    // Before the next ones too, which take windows and keys apart.
    extensions.injectPlanNormalizationRule(_ => KeepNullability)

    // After the analysis, because Spark knows aggregates only in aggregations; and before the
    // optimizer rewrites the windows.
    extensions.injectPlanNormalizationRule(_ => PlanOwnOperators)
    extensions.injectPlanNormalizationRule(_ => KeepNullability)

    extensions.injectPlannerStrategy(KeyedWatermarkStrategy(_))

    // After Spark has put its global watermark into the stateful operators.
    extensions.injectColumnar(_ => BindWatermarks)

    extensions.injectColumnar(_ => BindWatermarkFunctions)
  }
}
