package tidegate.sql

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  Expression,
  LambdaFunction,
  NamedArgumentExpression
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.catalyst.util.QuotingUtils
import tidegate.builders._
import tidegate.core.policy.{EmissionSpec, PolicySpec}
import tidegate.errors.{CallErrors, JoinErrors, PolicyErrors}
import tidegate.plans.WatermarkSpec
import tidegate.settings.Defaults

/**
 * Replaces each call of a table function by the plan that it stands for, once its table is
 * resolved.
 */
private[tidegate] object ResolveEventTimeCalls extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case call: EventTimeCall =>
      CurrentOrigin.withOrigin(call.origin) {
        checkForm(call)
        if (call.child.resolved && (call.arguments ++ call.partitionBy).forall(isResolved)) {
          resolve(call)
        } else call
      }
  }

  private def isResolved(e: Expression): Boolean = e match {
    case NamedArgumentExpression(_, value) => value.resolved
    case other                             => other.resolved
  }

  /** Checks that need no resolved table. */
  private def checkForm(call: EventTimeCall): Unit = {
    val name = call.function.name
    if (call.table.isMissing) throw CallErrors.tableMissing(name, call.function.example)
    if (call.table.isStream) throw CallErrors.streamMisplaced(name)
    if (call.table.hasOrder) throw CallErrors.tableOrder(name)
    if (call.partitionBy.nonEmpty && !EventTimeFunction.partitioned.contains(call.function)) {
      throw CallErrors.partitionByNotTaken(name)
    }
    // Spark has no error for a lambda that is no argument of a function.
    call.partitionBy.foreach {
      case lambda: LambdaFunction =>
        CurrentOrigin.withOrigin(lambda.origin) {
          throw CallErrors.partitionByExpression(name, lambda.sql)
        }
      case _ => ()
    }
    call.arguments.zipWithIndex.foreach {
      case (NamedArgumentExpression(argument, value), _) =>
        checkArgument(name, call.function.parameter(argument), argument, value)
      case (value, i) =>
        val parameter = call.function.parameters.lift(i)
        checkArgument(name, parameter, parameter.fold(s"${i + 2}")(_.name), value)
    }
  }

  private def checkArgument(
      function: String,
      parameter: Option[Parameter],
      argument: String,
      value: Expression
  ): Unit = {
    checkNoLambda(function, argument, value)
    value match {
      case UnresolvedAttribute(nameParts) if parameter.exists(_.isColumn) =>
        val column = nameParts.map(QuotingUtils.quoteIfNeeded).mkString(".")
        CurrentOrigin.withOrigin(value.origin) {
          throw CallErrors.descriptorMissing(function, argument, column, column)
        }
      case PolicyCall(_, values) => values.foreach(checkNoName(argument, _))
      case _                     => checkNoName(argument, value)
    }
  }

  /** A duration such as `10min` is a name in SQL. */
  private def checkNoName(argument: String, value: Expression): Unit = value match {
    case UnresolvedAttribute(Seq(name)) if name.headOption.exists(_.isDigit) =>
      CurrentOrigin.withOrigin(value.origin)(throw Durations.invalid(argument, name))
    case _ => ()
  }

  /** Spark resolves a lambda only below a function that takes one, and has no error for others. */
  private def checkNoLambda(function: String, argument: String, value: Expression): Unit =
    value match {
      case lambda: LambdaFunction =>
        CurrentOrigin.withOrigin(lambda.origin) {
          throw CallErrors.argumentNotConstant(function, argument, lambda.sql)
        }
      case PolicyCall(_, values) => values.foreach(checkNoLambda(function, argument, _))
      case _                     => ()
    }

  private def resolve(call: EventTimeCall): LogicalPlan = {
    val arguments = new CallArguments(call)
    lazy val windows = new WindowFunctions(call.child, arguments)
    (call.function: @unchecked) match {
      case EventTimeFunction.ImposeOrder    => imposeOrder(call.child, arguments)
      case EventTimeFunction.Tumble         => windows.tumble
      case EventTimeFunction.Hop            => windows.hop
      case EventTimeFunction.Cumulate       => windows.cumulate
      case EventTimeFunction.Session        => windows.session(partitionColumns(call))
      case EventTimeFunction.OrderByTime    => orderByTime(call, arguments)
      case EventTimeFunction.BoundJoin      => boundJoin(call.child, arguments)
      case EventTimeFunction.KeyedWatermark => keyedWatermark(call.child, arguments)
    }
  }

  private def partitionColumns(call: EventTimeCall): Seq[Attribute] = call.partitionBy.map {
    case a: Attribute => a
    case other        =>
      CurrentOrigin.withOrigin(other.origin) {
        throw CallErrors.partitionByExpression(call.function.name, other.sql)
      }
  }

  private def orderByTime(call: EventTimeCall, arguments: CallArguments): LogicalPlan = {
    val named = arguments.columnNames(Parameter.PartitionBy)
    if (named.nonEmpty && call.partitionBy.nonEmpty) {
      arguments.atPlaceOf(Parameter.PartitionBy) {
        throw CallErrors.argumentTwice(call.function.name, Parameter.PartitionBy.name)
      }
    }
    val partitionBy = partitionColumns(call) ++ arguments.atPlaceOf(Parameter.PartitionBy) {
      named.map(EventTimeOrders.partitionColumn(call.child, _))
    }
    arguments.atPlaceOf(Parameter.OnlyTimeColumn) {
      val time = arguments.optionalColumnName(Parameter.OnlyTimeColumn)
      EventTimeOrders.over(call.child, partitionBy, time)
    }
  }

  private def imposeOrder(input: LogicalPlan, arguments: CallArguments): LogicalPlan = {
    val time = arguments.time match {
      case a: Attribute => a
      case _            =>
        arguments.atPlaceOf(Parameter.TimeColumn) {
          throw CallErrors.timeColumnIsField(arguments.timeName)
        }
    }
    val key = arguments.int(Parameter.Key).getOrElse(0)
    val name = arguments.string(Parameter.Name)
    arguments.atPlaceOf(Parameter.Key)(KeyedWatermarks.check(key, None))
    arguments.atPlaceOf(Parameter.Name)(KeyedWatermarks.check(0, name))
    val lateRows = arguments.string(Parameter.LateRows)
    arguments.atPlaceOf(Parameter.LateRows)(KeyedWatermarks.checkLateRows(lateRows))
    val chosen = policy(arguments)
    // With append times no substream is ever idle.
    val idleTimeout = Option.when(!chosen.isIngestionTime)(
      Durations.parseMs(Parameter.IdleTimeout.name, Defaults.IdleTimeout, smallestMs = 1)
    )
    val spec = WatermarkSpec(
      name.getOrElse(time.name),
      key.toByte,
      chosen,
      arguments.policy(Parameter.Emission, EmissionSpec.names).map { case (emission, durations) =>
        arguments.atPlaceOf(Parameter.Emission)(Policies.emission(emission, durations))
      },
      arguments
        .nullableMs(Parameter.IdleTimeout, smallestMs = 1)
        .getOrElse(idleTimeout),
      arguments.nullableMs(Parameter.MaxFutureSkew, smallestMs = 0).flatten,
      arguments.boolean(Parameter.Flush).getOrElse(false),
      arguments.nullableMs(Parameter.IdleBehind, smallestMs = 1).flatten,
      lateRows = lateRows,
      allowedLatenessMs = arguments.nullableMs(Parameter.AllowedLateness, smallestMs = 0).flatten
    )
    val substream = arguments.atPlaceOf(Parameter.Substream) {
      arguments.columnNames(Parameter.Substream).map(KeyedWatermarks.substreamColumn(input, _))
    }
    val appended = ingestionTime(input, arguments, spec.policy)
    arguments.atPlaceOf(Parameter.TimeColumn) {
      KeyedWatermarks.over(input, time, substream, spec, appended)
    }
  }

  /** A client writes the call, with the arguments of the method; so the errors are its too. */
  private def keyedWatermark(input: LogicalPlan, arguments: CallArguments): LogicalPlan =
    KeyedWatermarks.on(
      input,
      arguments.columnName(Parameter.TimeColumn),
      arguments.int(Parameter.Key).getOrElse(0),
      arguments
        .policy(Parameter.Policy, known = Nil)
        .map { case (name, durations) => Policies.policy(name, durations) }
        .getOrElse(throw PolicyErrors.lagOrPolicy("neither of them")),
      arguments.columnNames(Parameter.Substream),
      arguments.nullableDuration(Parameter.IdleTimeout),
      arguments.policy(Parameter.Emission, known = Nil).map { case (name, durations) =>
        Policies.emission(name, durations)
      },
      arguments.string(Parameter.Name),
      arguments.nullableDuration(Parameter.MaxFutureSkew),
      arguments.boolean(Parameter.Flush).getOrElse(false),
      arguments.nullableDuration(Parameter.IdleBehind),
      arguments.optionalColumnName(Parameter.IngestionTime),
      arguments.string(Parameter.LateRows),
      arguments.nullableDuration(Parameter.AllowedLateness)
    )

  /** By default `timestamp`, as Kafka's source calls the column. */
  private def ingestionTime(
      input: LogicalPlan,
      arguments: CallArguments,
      policy: PolicySpec
  ): Option[Attribute] =
    arguments.atPlaceOf(Parameter.IngestionTime) {
      arguments
        .optionalColumnName(Parameter.IngestionTime)
        .orElse(Option.when(policy.isIngestionTime)("timestamp"))
        .map(KeyedWatermarks.ingestionTimeColumn(input, _))
    }

  private def boundJoin(join: LogicalPlan, arguments: CallArguments): LogicalPlan =
    StreamJoins
      .bound(
        join,
        Between(
          arguments.columnName(Parameter.Time),
          arguments.columnName(Parameter.Base),
          arguments.durationText(Parameter.Lower),
          arguments.durationText(Parameter.Upper)
        )
      )
      .getOrElse(throw JoinErrors.noJoin(EventTimeFunction.BoundJoin.name))

  private def policy(arguments: CallArguments): PolicySpec = {
    val lag = arguments.optionalMs(Parameter.Lag, smallestMs = 0)
    val policy = arguments.policy(Parameter.Policy, Policies.sqlNames)
    (lag, policy) match {
      case (Some(ms), None)                => PolicySpec("fixedLag", Seq(ms))
      case (None, Some((name, durations))) =>
        arguments.atPlaceOf(Parameter.Policy)(Policies.policy(name, durations))
      case (None, None) => throw PolicyErrors.lagOrPolicy("neither of them")
      case _            => throw PolicyErrors.lagOrPolicy("both of them")
    }
  }
}
