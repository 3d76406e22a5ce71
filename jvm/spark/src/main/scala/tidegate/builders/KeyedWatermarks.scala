package tidegate.builders

import org.apache.spark.sql.Dataset
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{CTERelationRef, LogicalPlan}
import org.apache.spark.sql.tidegate.SparkInternals
import org.apache.spark.sql.types.{TimestampNTZType, TimestampType}
import tidegate.clock.ClockTable
import tidegate.columns.EventTimeTag
import tidegate.core.policy.{EmissionSpec, PolicySpec}
import tidegate.errors.{LateRowErrors, WatermarkErrors}
import tidegate.execution.SubstreamText
import tidegate.operators.KeyedTimes
import tidegate.planning.KeyedWatermarkStrategy
import tidegate.plans.{KeyedWatermark, WatermarkSpec}

/** Builds keyed watermarks; the one place where their arguments are checked. */
private[tidegate] object KeyedWatermarks {
  private val Keys = 0 to Byte.MaxValue

  /** Implements the method `withKeyedWatermark` of a Dataset; see there. */
  def add[T](
      ds: Dataset[T],
      eventTime: String,
      key: Int,
      policy: PolicySpec,
      substream: Seq[String],
      idleTimeout: Option[String],
      emission: Option[EmissionSpec],
      name: Option[String],
      maxFutureSkew: Option[String],
      flush: Boolean,
      idleBehind: Option[String] = None,
      ingestionTime: Option[String] = None,
      lateRows: Option[String] = None,
      allowedLateness: Option[String] = None
  ): Dataset[T] = {
    if (!SparkInternals.hasStrategy(ds.sparkSession, classOf[KeyedWatermarkStrategy])) {
      throw WatermarkErrors.extensionNotInstalled()
    }
    val input = SparkInternals.analyzed(ds)
    val plan = on(
      input,
      eventTime,
      key,
      policy,
      substream,
      idleTimeout,
      emission,
      name,
      maxFutureSkew,
      flush,
      idleBehind,
      ingestionTime,
      lateRows,
      allowedLateness
    )
    if (plan eq input) ds else SparkInternals.withPlan(ds, plan)
  }

  /** As `add`, on a plan. */
  def on(
      input: LogicalPlan,
      eventTime: String,
      key: Int,
      policy: PolicySpec,
      substream: Seq[String],
      idleTimeout: Option[String],
      emission: Option[EmissionSpec],
      name: Option[String],
      maxFutureSkew: Option[String],
      flush: Boolean,
      idleBehind: Option[String],
      ingestionTime: Option[String],
      lateRows: Option[String],
      allowedLateness: Option[String]
  ): LogicalPlan = {
    // A null is no name, and is not found either.
    val time = eventTimeColumn(input, String.valueOf(eventTime))
    val columns = substream.map(name => substreamColumn(input, String.valueOf(name)))
    check(key, name)
    checkLateRows(lateRows)
    val spec = WatermarkSpec(
      name.getOrElse(time.name),
      key.toByte,
      policy,
      emission,
      idleTimeout.map(Durations.parseMs("idleTimeout", _, smallestMs = 1)),
      maxFutureSkew.map(Durations.parseMs("maxFutureSkew", _, smallestMs = 0)),
      flush,
      idleBehind.map(Durations.parseMs("idleBehind", _, smallestMs = 1)),
      lateRows = lateRows,
      allowedLatenessMs =
        allowedLateness.map(Durations.parseMs("allowedLateness", _, smallestMs = 0))
    )
    over(input, time, columns, spec, ingestionTime.map(ingestionTimeColumn(input, _)))
  }

  /** The watermark over `input`; `input` itself if it is batch data, which has none. */
  def over(
      input: LogicalPlan,
      time: Attribute,
      substream: Seq[Attribute],
      spec: WatermarkSpec,
      ingestionTime: Option[Attribute]
  ): LogicalPlan = {
    if (spec.policy.isIngestionTime != ingestionTime.isDefined) {
      throw WatermarkErrors.ingestionTimeAndPolicy(spec.policy.name)
    }
    if (!input.isStreaming) input
    else {
      checkUnused(input, time, spec)
      KeyedWatermark(input, ClockTable.relation, time, substream, spec, ingestionTime)
    }
  }

  /** @throws AnalysisException if `key` is out of range, or `name` is empty */
  def check(key: Int, name: Option[String]): Unit = {
    if (!Keys.contains(key)) throw WatermarkErrors.keyOutOfRange(key)
    if (name.exists(_.trim.isEmpty)) throw WatermarkErrors.emptyName()
  }

  /** @throws AnalysisException if there is a folder for late rows, and its name is empty */
  def checkLateRows(folder: Option[String]): Unit =
    if (folder.exists(_.trim.isEmpty)) throw LateRowErrors.emptyFolder()

  /** Whether an expression may be an event time. */
  def isTime(e: Expression): Boolean = e.dataType == TimestampType || e.dataType == TimestampNTZType

  private def eventTimeColumn(input: LogicalPlan, name: String): Attribute =
    column(input, name) match {
      case None => throw WatermarkErrors.eventTimeNotFound(name, input.output.map(_.name))
      case Some(a) if isTime(a) => a
      case Some(a)              => throw WatermarkErrors.eventTimeNotTimestamp(name, a.dataType)
    }

  /** The column with the times at which rows were appended. */
  def ingestionTimeColumn(input: LogicalPlan, name: String): Attribute =
    column(input, name) match {
      case None => throw WatermarkErrors.ingestionTimeNotFound(name, input.output.map(_.name))
      case Some(a) if isTime(a) => a
      case Some(a)              => throw WatermarkErrors.ingestionTimeNotTimestamp(name, a.dataType)
    }

  def substreamColumn(input: LogicalPlan, name: String): Attribute =
    column(input, name) match {
      case None => throw WatermarkErrors.substreamNotFound(name, input.output.map(_.name))
      case Some(a) if SubstreamText.supports(a.dataType) => a
      case Some(a) => throw WatermarkErrors.substreamType(name, a.dataType)
    }

  /** A column by its name, which may be qualified or quoted; Spark refuses an ambiguous name. */
  private def column(input: LogicalPlan, name: String): Option[Attribute] =
    input
      .resolveQuoted(name, input.conf.resolver)
      .collect { case a: Attribute => a }

  /** A reference to a common table expression shows only its columns. */
  private def behindCte(input: LogicalPlan, key: Byte): Option[String] =
    if (!input.exists(_.isInstanceOf[CTERelationRef])) None
    else input.output.find(EventTimeTag.key(_).contains(key)).map(_.name)

  private def checkUnused(input: LogicalPlan, time: Attribute, spec: WatermarkSpec): Unit = {
    EventTimeTag.key(time).foreach(k => throw WatermarkErrors.columnKeyedTwice(time.name, k))
    KeyedTimes
      .of(input)
      .get(spec.key)
      .map(_.nodes.head)
      .orElse(behindCte(input, spec.key))
      .foreach { earlier =>
        throw WatermarkErrors.keyUsedTwice(spec.key, time.name, earlier)
      }
  }
}
