package tidegate.bench.join

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import tidegate._

/** Orders and deliveries, each with its own event time. */
private[join] final case class TwoStreams(orders: DataFrame, deliveries: DataFrame) {

  /** Joins each order with its deliveries within ten seconds. */
  def join(how: String): DataFrame =
    orders
      .as("o")
      .join(
        deliveries.as("d"),
        expr(
          "o.id = d.id AND delivery_time BETWEEN order_time AND order_time + INTERVAL 10 SECONDS"
        ),
        how
      )
      .select("o.id", "order_time", "delivery_time")
}

/**
 * The watermarks of both streams, for Spark's and for keyed watermarks.
 *
 * @param deliveriesLull
 *   after how long without deliveries their keyed watermark follows the wall clock; null: never
 */
private[join] final case class Watermarks(
    ordersLag: String,
    deliveriesLag: String,
    deliveriesLull: String = null,
    ordersSubstream: Seq[String] = Seq("part"),
    idleTimeout: String = null
) {

  /** The two sides of every comparison, with their printed names. */
  val sides: Seq[(String, TwoStreams => TwoStreams)] =
    Seq("withWatermark" -> sparks, "withKeyedWatermark" -> keyed)

  private def sparks(in: TwoStreams): TwoStreams =
    TwoStreams(
      in.orders.withWatermark("order_time", ordersLag),
      in.deliveries.withWatermark("delivery_time", deliveriesLag)
    )

  private def keyed(in: TwoStreams): TwoStreams =
    TwoStreams(
      in.orders.withKeyedWatermark(
        "order_time",
        ordersLag,
        key = 0,
        substream = ordersSubstream,
        idleTimeout = idleTimeout
      ),
      in.deliveries.withKeyedWatermark(
        "delivery_time",
        key = 1,
        policy = Option(deliveriesLull).fold(fixedLag(deliveriesLag))(
          limitingLagAndLull(deliveriesLag, _)
        ),
        substream = Seq("part"),
        idleTimeout = idleTimeout
      )
    )
}
