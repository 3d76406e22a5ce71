package org.apache.spark.sql.tidegate

import com.codahale.metrics.{Gauge, MetricRegistry}

/**
 * Shows gauges of a query among those that Spark has of it, each from its first value on: a gauge
 * has to show a number, and 0 would be a time, or a count that nobody has made. Spark removes them
 * when the query ends.
 */
private[tidegate] final class ShownGauges(metrics: MetricRegistry, all: => Seq[QueryGauge]) {

  private var hidden: Seq[QueryGauge] = _

  /** To be called after each trigger, by the thread of the query. */
  def show(): Unit = {
    if (hidden == null) hidden = all
    if (hidden.nonEmpty) {
      val (known, unknown) = hidden.map(g => g -> g.value()).partition(_._2.isDefined)
      for ((gauge, value) <- known; first <- value)
        metrics.register[Gauge[Long]](gauge.name, new Shown(gauge, first))
      hidden = unknown.map(_._1)
    }
  }

  private final class Shown(gauge: QueryGauge, first: Long) extends Gauge[Long] {
    @volatile private var last = first

    override def getValue: Long = {
      gauge.value().foreach(last = _)
      last
    }
  }
}
