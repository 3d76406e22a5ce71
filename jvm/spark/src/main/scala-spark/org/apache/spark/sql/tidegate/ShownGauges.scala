package org.apache.spark.sql.tidegate

import com.codahale.metrics.{Gauge, MetricRegistry}

/**
 * Shows gauges of a query among those that Spark has of it, each from its first value on: a gauge
 * has to show a number, and 0 would be a time, or a count that nobody has made. Spark removes them
 * when the query ends.
 *
 * Spark's metrics tell queries apart by their names: of two that have the same name, in two
 * sessions, the first one is shown.
 */
private[tidegate] final class ShownGauges(
    metrics: MetricRegistry,
    all: => Seq[QueryGauge],
    shown: OnlyShown
) {

  private var hidden: Seq[QueryGauge] = _

  /** To be called after each trigger, by the thread of the query. */
  def show(): Unit = {
    if (hidden == null) {
      hidden = Nil
      shown("Gauges of event time") { hidden = all }
    }
    hidden = hidden.filterNot(register)
  }

  /** Whether there is nothing more to be done for a gauge. */
  private def register(gauge: QueryGauge): Boolean = shown.orElse("A gauge of event time", true) {
    val value = gauge.value()
    value.foreach(first => metrics.register[Gauge[Long]](gauge.name, new Shown(gauge, first)))
    value.isDefined
  }

  private final class Shown(gauge: QueryGauge, first: Long) extends Gauge[Long] {
    @volatile private var last = first

    override def getValue: Long = {
      shown("A gauge of event time")(gauge.value().foreach(last = _))
      last
    }
  }
}
