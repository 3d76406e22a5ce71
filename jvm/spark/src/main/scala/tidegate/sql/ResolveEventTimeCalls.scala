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
import tidegate.builders.{AsOfJoins, Between, EventTimeOrders, StreamJoins}
import tidegate.errors.{CallErrors, JoinErrors}
import tidegate.request.Durations

/**
 * Replaces each call of a table function by the plan that it stands for, once its table is
 * resolved.
 */
private[tidegate] object ResolveEventTimeCalls extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    val processing = new ProcessingTime(plan)
    plan.resolveOperatorsUp { case call: EventTimeCall =>
      CurrentOrigin.withOrigin(call.origin) {
        checkForm(call)
        if (call.child.resolved && (call.arguments ++ call.partitionBy).forall(isResolved)) {
          resolve(if (isWindow(call)) withProcessingTime(call, processing) else call)
        } else call
      }
    }
  }

  private def isWindow(call: EventTimeCall): Boolean =
    EventTimeFunction.windows.contains(call.function)

  private def withProcessingTime(call: EventTimeCall, processing: ProcessingTime): EventTimeCall =
    new CallArguments(call).time match {
      case time: Attribute if processing.isTimeOf(call.child, time) =>
        call.copy(child = processing.replaced(call.child, time))
      case _ => call
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
      case EventTimeFunction.ImposeOrder => imposeOrder(call.child, arguments)
      case EventTimeFunction.Tumble      => windows.tumble
      case EventTimeFunction.Hop         => windows.hop
      case EventTimeFunction.Cumulate    => windows.cumulate
      case EventTimeFunction.Session     => windows.session(partitionColumns(call))
      case EventTimeFunction.OrderByTime => orderByTime(call, arguments)
      case EventTimeFunction.BoundJoin   => boundJoin(call.child, arguments)
      case EventTimeFunction.AsOfJoin    => asOfJoin(call.child, arguments)
      // A client writes the call, with the arguments of the method; so the errors are its too.
      case EventTimeFunction.KeyedWatermark =>
        arguments.watermark.on(call.child, arguments.columnName(Parameter.TimeColumn))
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
    arguments.watermark.withIngestionTime.over(input, time, arguments.Writing)
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
      .getOrElse(throw JoinErrors.noJoin(EventTimeFunction.BoundJoin.name, "streamJoin"))

  private def asOfJoin(join: LogicalPlan, arguments: CallArguments): LogicalPlan =
    AsOfJoins
      .over(
        join,
        AsOfJoins.Arguments(
          arguments.optionalColumnName(Parameter.LeftTime),
          arguments.optionalColumnName(Parameter.RightTime),
          arguments.optionalText(Parameter.Tolerance)
        )
      )
      .getOrElse(throw JoinErrors.noJoin(EventTimeFunction.AsOfJoin.name, "asOfJoin"))
}
