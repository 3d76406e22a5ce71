package tidegate.builders

import org.apache.spark.sql.Dataset
import org.apache.spark.sql.catalyst.expressions.{Ascending, Attribute, RowOrdering, SortOrder}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.tidegate.SparkInternals
import tidegate.checks.LostTime
import tidegate.columns.{EventTimeTag, WindowMark}
import tidegate.errors.{OrderErrors, WatermarkErrors}
import tidegate.operators.KeyedTimes
import tidegate.own.order.EventTimeOrder
import tidegate.plans.ColumnOrigin
import tidegate.request.{NamedColumn, WatermarkRequest}

/** Builds event-time orders; the one place where their arguments are checked. */
private[tidegate] object EventTimeOrders {

  /** Implements the method `orderByEventTime` of a Dataset; see there. */
  def order[T](ds: Dataset[T], partitionBy: Seq[String], eventTime: Option[String]): Dataset[T] = {
    WatermarkRequest.checkExtension(ds)
    val input = SparkInternals.analyzed(ds)
    // A null is no name, and is not found either.
    val columns = partitionBy.map(name => partitionColumn(input, String.valueOf(name)))
    SparkInternals.withPlan(ds, over(input, columns, eventTime))
  }

  /** A column of `partitionBy`, by its name. */
  def partitionColumn(input: LogicalPlan, name: String): Attribute =
    NamedColumn.of(input, "partitionBy", name) {
      OrderErrors.orderKeyNotFound(name, input.output.map(_.name))
    }

  /** The rows of `input` in order; a stream has to have a watermark on the time. */
  def over(
      input: LogicalPlan,
      partitionBy: Seq[Attribute],
      eventTime: Option[String]
  ): LogicalPlan = {
    val keys = partitionBy.distinctBy(_.exprId)
    keys.filterNot(k => RowOrdering.isOrderable(k.dataType)).foreach { key =>
      CurrentOrigin.withOrigin(key.origin) {
        throw OrderErrors.orderKeyType(key.name, key.dataType)
      }
    }
    val time = eventTime.fold(onlyTime(input))(timeColumn(input, _))
    if (input.isStreaming) {
      checkWatermark(input, time)
      EventTimeOrder(keys, time, None, input)
    } else sorted(input, keys, time)
  }

  /**
   * Batch data is partitioned as a stream is; without keys, several tasks sort all rows globally.
   */
  private def sorted(input: LogicalPlan, keys: Seq[Attribute], time: Attribute): LogicalPlan =
    Sort(
      Seq(SortOrder(EventTimeTag.decisive(time), Ascending)),
      global = keys.isEmpty,
      if (keys.isEmpty) input else RepartitionByExpression(keys, input, None)
    )

  private def timeColumn(input: LogicalPlan, name: String): Attribute = {
    val time = NamedColumn.of(input, "eventTime", name) {
      WatermarkErrors.eventTimeNotFound(name, input.output.map(_.name))
    }
    if (EventTimeTag.isTime(time) || isKeyedWindow(time)) time
    else throw WatermarkErrors.eventTimeNotTimestamp(name, time.dataType)
  }

  private def isKeyedWindow(a: Attribute): Boolean =
    EventTimeTag.isWindow(a) && EventTimeTag.key(a).isDefined

  /**
   * The only column with a watermark: a plain time is preferred to windows, and the end of a window
   * to its other columns. Batch data without such a column needs exactly one time column.
   */
  private def onlyTime(input: LogicalPlan): Attribute = {
    val keyed = input.output.filter(EventTimeTag.key(_).isDefined)
    val (windows, times) =
      keyed.partition(a => EventTimeTag.isWindow(a) || WindowMark.of(a).isDefined)
    val candidates = Seq(times, windows.filter(EventTimeTag.closesWindow), windows)
      .find(_.nonEmpty)
      .getOrElse(if (input.isStreaming) Nil else input.output.filter(EventTimeTag.isTime))
    candidates match {
      case Seq(one)                   => one
      case Seq() if input.isStreaming =>
        throw LostTime.in(input).fold(OrderErrors.orderWithoutWatermark())(_.error)
      case several if input.isStreaming =>
        throw WatermarkErrors.ambiguousEventTime(EventTimeOrder.StateName, several.map(_.name))
      case other => throw OrderErrors.orderTimeNeeded(other.map(_.name))
    }
  }

  /**
   * Behind a reference to a common table expression only the columns are known before the query
   * starts.
   */
  private def checkWatermark(input: LogicalPlan, time: Attribute): Unit =
    EventTimeTag.key(time) match {
      case None =>
        throw LostTime
          .of(input, time)
          .fold(OrderErrors.orderNotKeyed(time.name, sourceOf(input, time)))(_.error)
      case Some(key) =>
        val isKnown = !input.exists(_.isInstanceOf[CTERelationRef])
        if (isKnown && !KeyedTimes.of(input).contains(key)) {
          val reason = KeyedTimes.whyMissing(input, key)
          throw WatermarkErrors.keyNotAvailable(EventTimeOrder.StateName, time.name, key, reason)
        }
    }

  /** The column with a watermark that a time was computed from. */
  private def sourceOf(input: LogicalPlan, time: Attribute): Option[String] = for {
    definition <- ColumnOrigin.inFirstBranch(input, time).computedBy
    source <- definition.references.find(EventTimeTag.key(_).isDefined)
  } yield source.name
}
