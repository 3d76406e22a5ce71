package tidegate.request

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.Dataset
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{CTERelationRef, LogicalPlan}
import org.apache.spark.sql.tidegate.SparkInternals
import tidegate.clock.ClockTable
import tidegate.columns.EventTimeTag
import tidegate.core.policy.PolicySpec
import tidegate.errors.{PolicyErrors, WatermarkErrors}
import tidegate.execution.SubstreamText
import tidegate.operators.KeyedTimes
import tidegate.planning.KeyedWatermarkStrategy
import tidegate.plans.{KeyedWatermark, WatermarkSpec}
import tidegate.settings.Defaults

/**
 * What a user asked of one watermark, in any language: the arguments that were given, as they were
 * written. The one place where they are checked and where their defaults are.
 */
private[tidegate] final class WatermarkRequest private (values: Map[WatermarkArgument[_], Any]) {
  import WatermarkArgument._
  import WatermarkRequest._

  /** The request with one argument more. */
  def set[T](argument: WatermarkArgument[T], value: T): WatermarkRequest = this + argument(value)

  def +(argument: Given): WatermarkRequest = new WatermarkRequest(values + argument)

  /** With the column as Kafka's source calls it, if the policy needs one and none was given. */
  def withIngestionTime: WatermarkRequest =
    if (values.contains(IngestionTime) || !value(Policy).exists(_.isIngestionTime)) this
    else set(IngestionTime, Defaults.IngestionTime)

  /** Adds the watermark to a Dataset, as its methods do. */
  def on[T](ds: Dataset[T], eventTime: String): Dataset[T] = {
    checkExtension(ds)
    val input = SparkInternals.analyzed(ds)
    val plan = on(input, eventTime)
    if (plan eq input) ds else SparkInternals.withPlan(ds, plan)
  }

  /** The same on a plan. */
  def on(input: LogicalPlan, eventTime: String): LogicalPlan =
    // A null is no name, and is not found either.
    over(input, eventTimeColumn(input, String.valueOf(eventTime)), OfMethods)

  /** The watermark over `input`; `input` itself if it is batch data, which has none. */
  def over(input: LogicalPlan, time: Attribute, writing: Writing): LogicalPlan = {
    val substream = writing.at(Substream) {
      value(Substream)
        .getOrElse(Nil)
        .map(name => substreamColumn(input, writing.nameOf(Substream), String.valueOf(name)))
    }
    val spec = specOf(time, writing)
    val ingestionTime = writing.at(IngestionTime) {
      value(IngestionTime).map(ingestionTimeColumn(input, writing.nameOf(IngestionTime), _))
    }
    writing.atTime {
      if (spec.policy.isIngestionTime != ingestionTime.isDefined)
        throw WatermarkErrors.ingestionTimeAndPolicy(spec.policy.name)
      if (input.isStreaming) checkUnused(input, time, spec.key)
    }
    if (!input.isStreaming) input
    else KeyedWatermark(input, ClockTable.relation, time, substream, spec, ingestionTime)
  }

  private def specOf(time: Attribute, writing: Writing): WatermarkSpec = {
    def put[T](spec: WatermarkSpec, argument: WatermarkArgument[T]): WatermarkSpec =
      value(argument).fold(spec) { v =>
        writing.at(argument)(argument.put(spec, v, writing.nameOf(argument)))
      }
    val policy = policyOf(writing)
    val idleTimeoutMs =
      Option.when(!policy.isIngestionTime && !values.contains(IdleTimeout))(Defaults.IdleTimeoutMs)
    val plain = WatermarkSpec(time.name, 0, policy, None, idleTimeoutMs, None)
    val spec = all.foldLeft(plain)(put(_, _))
    // With append times a substream is idle only where this is asked for.
    if (!policy.isIngestionTime) spec
    else spec.copy(idleTimeoutMs = spec.idleTimeoutMs.orElse(spec.idleBehindMs))
  }

  private def policyOf(writing: Writing): PolicySpec =
    if (values.contains(MaxEventTimeLag)) {
      val lags = Seq(MaxEventTimeLag, MaxIdleLag).flatMap(values.get(_)).map(String.valueOf)
      Policies.policy(PolicySpec.IngestionTime, lags)
    } else
      (value(Lag), value(Policy)) match {
        case (Some(lag), None)    => writing.at(Lag)(Policies.policy("fixedLag", Seq(lag)))
        case (None, Some(policy)) => policy
        case (None, None) => throw PolicyErrors.lagOrPolicy("neither of them", writing.policy)
        case _            => throw PolicyErrors.lagOrPolicy("both of them", writing.policy)
      }

  /** `None` if the argument is left out or null. */
  private def value[T](argument: WatermarkArgument[T]): Option[T] =
    values.get(argument).flatMap(Option(_)).map(_.asInstanceOf[T])
}

private[tidegate] object WatermarkRequest {

  def apply(arguments: WatermarkArgument.Given*): WatermarkRequest =
    new WatermarkRequest(arguments.toMap)

  /** No argument was given. */
  val none: WatermarkRequest = apply()

  /**
   * Reads arguments by name, as Python gives them: a policy is a list of its name and durations.
   */
  def ofPython(arguments: JMap[String, Any]): WatermarkRequest =
    apply(arguments.asScala.toSeq.map { case (name, value) =>
      val argument = WatermarkArgument.all.find(_.name == name).get
      argument -> (if (value == null) null else argument.ofPython(value))
    }: _*)

  /** How errors name the arguments of a request, and where these are in a statement. */
  trait Writing {
    def nameOf(argument: WatermarkArgument[_]): String

    /** A policy for example. */
    def policy: String
    def at[T](argument: WatermarkArgument[_])(body: => T): T
    def atTime[T](body: => T): T
  }

  /** The methods of Datasets have no statement. */
  object OfMethods extends Writing {
    override def nameOf(argument: WatermarkArgument[_]): String = argument.name
    override def policy: String = "a policy such as fixedLag('5 seconds')"
    override def at[T](argument: WatermarkArgument[_])(body: => T): T = body
    override def atTime[T](body: => T): T = body
  }

  /** @throws AnalysisException if the session of a Dataset does not have the extension */
  def checkExtension(ds: Dataset[_]): Unit =
    if (!SparkInternals.hasStrategy(ds.sparkSession, classOf[KeyedWatermarkStrategy]))
      throw WatermarkErrors.extensionNotInstalled()

  private def eventTimeColumn(input: LogicalPlan, name: String): Attribute = {
    val time = NamedColumn.of(input, "eventTime", name) {
      WatermarkErrors.eventTimeNotFound(name, input.output.map(_.name))
    }
    if (EventTimeTag.isTime(time)) time
    else throw WatermarkErrors.eventTimeNotTimestamp(name, time.dataType)
  }

  private def ingestionTimeColumn(input: LogicalPlan, written: String, name: String): Attribute = {
    val time = NamedColumn.of(input, written, name) {
      WatermarkErrors.ingestionTimeNotFound(name, input.output.map(_.name))
    }
    if (EventTimeTag.isTime(time)) time
    else throw WatermarkErrors.ingestionTimeNotTimestamp(name, time.dataType)
  }

  private def substreamColumn(input: LogicalPlan, written: String, name: String): Attribute = {
    val column = NamedColumn.of(input, written, name) {
      WatermarkErrors.substreamNotFound(name, input.output.map(_.name))
    }
    if (SubstreamText.supports(column.dataType)) column
    else throw WatermarkErrors.substreamType(name, column.dataType)
  }

  private def checkUnused(input: LogicalPlan, time: Attribute, key: Byte): Unit = {
    EventTimeTag.key(time).foreach(k => throw WatermarkErrors.columnKeyedTwice(time.name, k))
    KeyedTimes
      .of(input)
      .get(key)
      .map(_.nodes.head)
      .orElse(behindCte(input, key))
      .foreach(earlier => throw WatermarkErrors.keyUsedTwice(key, time.name, earlier))
  }

  /** A reference to a common table expression shows only its columns. */
  private def behindCte(input: LogicalPlan, key: Byte): Option[String] =
    if (!input.exists(_.isInstanceOf[CTERelationRef])) None
    else input.output.find(EventTimeTag.key(_).contains(key)).map(_.name)
}
