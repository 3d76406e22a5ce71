package tidegate
package faults

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{Column, DataFrame}
import tidegate.operators.BufferByTimer

/**
 * A query that is killed while it runs.
 *
 * @param isUpdate
 *   for each output mode that is tried, whether it is update and not append
 * @param stores
 *   the state stores that its operators allow
 * @param apply
 *   the query over two streams of events, each with a keyed watermark of its own
 */
final case class FaultQuery(
    name: String,
    isUpdate: Seq[Boolean] = Seq(false),
    stores: Seq[StateStoreKind] = StateStoreKind.all
)(val apply: (DataFrame, DataFrame) => DataFrame)

object FaultQuery {
  private val both = Seq(false, true)
  private val onRocksDb = StateStoreKind.all.filterNot(_ == StateStoreKind.hdfs)

  private def counts(df: DataFrame, keys: Column*): DataFrame =
    df.groupBy(keys: _*).agg(count("*").as("c"), sum("n").as("s"))

  private def join(how: String, left: DataFrame, right: DataFrame): DataFrame = {
    val deliveries = right.select(col("n").as("id"), col("time").as("delivery_time"))
    left
      .select(col("n").as("id"), col("time").as("order_time"))
      .streamJoin(
        deliveries,
        Seq("id"),
        how,
        Between("delivery_time", "order_time", "0 seconds", "8 seconds")
      )
  }

  /** One for every kind of operator with state. */
  val all: Seq[FaultQuery] = Seq(
    FaultQuery("tumbling", both) { (a, _) =>
      counts(a, window(col("time"), "10 seconds"), col("sub"))
    },
    FaultQuery("hop by frames") { (a, _) =>
      counts(a, window(col("time"), "12 seconds", "3 seconds"), col("sub"))
    },
    // In update mode, Spark's own copies of rows.
    FaultQuery("hop", Seq(true)) { (a, _) =>
      counts(a, window(col("time"), "12 seconds", "3 seconds"), col("sub"))
    },
    FaultQuery("session") { (a, _) =>
      counts(a, session_window(col("time"), "2 seconds"), col("n"))
    },
    FaultQuery("cumulate", both) { (a, _) =>
      a.createOrReplaceTempView("a")
      a.sparkSession.sql(
        """SELECT window_start, window_end, count(*) AS c, sum(n) AS s
          |FROM cumulate(a, descriptor(time), 5 seconds, 15 seconds)
          |GROUP BY window_start, window_end""".stripMargin
      )
    },
    FaultQuery("inner join", both)(join("inner", _, _)),
    FaultQuery("left outer join")(join("leftOuter", _, _)),
    FaultQuery("full outer join")(join("fullOuter", _, _)),
    FaultQuery("deduplication", both)((a, _) => a.dropDuplicates("time", "n")),
    FaultQuery("deduplication within the watermark", both) { (a, _) =>
      a.dropDuplicatesWithinWatermark("n")
    },
    FaultQuery("union", both)((a, b) => counts(a.union(b), window(col("time"), "10 seconds"))),
    FaultQuery("event-time order")((a, _) => a.orderByEventTime().toDF()),
    FaultQuery("window over window") { (a, _) =>
      counts(a, window(col("time"), "5 seconds"))
        .groupBy(window(window_time(col("window")), "15 seconds"))
        .agg(sum("c"), count("*"))
    },
    FaultQuery("transformWithState", stores = onRocksDb)((a, _) => BufferByTimer(a))
  )
}
