package tidegate
package faults

import java.nio.file.Path

import scala.util.DynamicVariable

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
 *   the query over two streams of events
 */
final case class FaultQuery(
    name: String,
    isUpdate: Seq[Boolean] = Seq(false),
    stores: Seq[StateStoreKind] = StateStoreKind.all
)(val apply: (DataFrame, DataFrame) => DataFrame)

object FaultQuery {
  private val both = Seq(false, true)
  private val onRocksDb = StateStoreKind.all.filter(_.name.startsWith("RocksDB"))

  /** The folder to which the late rows of a query go that is made, if there is one. */
  val lateRows: DynamicVariable[Option[Path]] = new DynamicVariable(None)

  private def keyed(df: DataFrame, name: String, key: Int = 0): DataFrame = df.withKeyedWatermark(
    "time",
    "3 seconds",
    key,
    substream = Seq("sub"),
    idleTimeout = null,
    name = name,
    lateRows = lateRows.value.map(_.resolve(name).toString).orNull
  )

  /** A query over one stream. */
  private def ofOne(query: DataFrame => DataFrame)(left: DataFrame, right: DataFrame): DataFrame = {
    val _ = right
    query(keyed(left, "left"))
  }

  private def counts(df: DataFrame, keys: Column*): DataFrame =
    df.groupBy(keys: _*).agg(count("*").as("c"), sum("n").as("s"))

  private def join(how: String, id: Column = col("n"))(
      left: DataFrame,
      right: DataFrame
  ): DataFrame = {
    val deliveries =
      keyed(right, "right", key = 1).select(id.as("id"), col("time").as("delivery_time"))
    keyed(left, "left")
      .select(id.as("id"), col("time").as("order_time"))
      .streamJoin(
        deliveries,
        Seq("id"),
        how,
        Between("delivery_time", "order_time", "0 seconds", "8 seconds")
      )
  }

  /** One for every kind of operator with state. */
  val all: Seq[FaultQuery] = Seq(
    FaultQuery("tumbling", both)(ofOne { a =>
      counts(a, window(col("time"), "10 seconds"), col("sub"))
    }),
    FaultQuery("hop by frames")(ofOne { a =>
      counts(a, window(col("time"), "12 seconds", "3 seconds"), col("sub"))
    }),
    // In update mode, Spark's own copies of rows.
    FaultQuery("hop", Seq(true))(ofOne { a =>
      counts(a, window(col("time"), "12 seconds", "3 seconds"), col("sub"))
    }),
    FaultQuery("session")(ofOne { a =>
      counts(a, session_window(col("time"), "2 seconds"), col("n"))
    }),
    FaultQuery("cumulate", both)(ofOne { a =>
      a.createOrReplaceTempView("a")
      a.sparkSession.sql(
        """SELECT window_start, window_end, count(*) AS c, sum(n) AS s
          |FROM cumulate(a, descriptor(time), 5 seconds, 15 seconds)
          |GROUP BY window_start, window_end""".stripMargin
      )
    }),
    FaultQuery("inner join", both)(join("inner")),
    FaultQuery("left outer join")(join("leftOuter")),
    FaultQuery("right outer join")(join("rightOuter")),
    FaultQuery("full outer join")(join("fullOuter")),
    FaultQuery("semi join")(join("leftSemi")),
    FaultQuery("anti join")(join("leftAnti")),
    FaultQuery("left outer join of few keys")(join("leftOuter", id = pmod(col("n"), lit(2)))),
    FaultQuery("as-of join") { (a, b) =>
      def keys(df: DataFrame) = df.withColumn("id", pmod(col("n"), lit(4)))
      keys(keyed(a, "left")).asOfJoin(
        keys(keyed(b, "right")).select(col("id"), col("time").as("since"), col("n").as("version")),
        Seq("id"),
        how = "left"
      )
    },
    FaultQuery("deduplication", both)(ofOne(_.dropDuplicates("time", "n"))),
    FaultQuery("deduplication within the watermark", both)(ofOne { a =>
      a.dropDuplicatesWithinWatermark("n")
    }),
    FaultQuery("union", both) { (a, b) =>
      counts(keyed(a, "left").union(keyed(b, "right")), window(col("time"), "10 seconds"))
    },
    FaultQuery("event-time order")(ofOne(_.orderByEventTime().toDF())),
    FaultQuery("over")(ofOne { a =>
      a.selectExpr(
        "time",
        "n",
        "sum(n) OVER (PARTITION BY sub ORDER BY time RANGE INTERVAL 10 SECONDS PRECEDING)",
        "count(n) OVER (PARTITION BY sub ORDER BY time)"
      )
    }),
    FaultQuery("window over window")(ofOne { a =>
      counts(a, window(col("time"), "5 seconds"))
        .groupBy(window(window_time(col("window")), "15 seconds"))
        .agg(sum("c"), count("*"))
    }),
    FaultQuery("an update above windows", Seq(true))(ofOne { a =>
      counts(a, window(col("time"), "12 seconds", "3 seconds"), col("sub"))
        .groupBy("sub")
        .agg(max("c"), count("*"))
    }),
    FaultQuery("transformWithState", stores = onRocksDb)(ofOne(BufferByTimer(_))),
    FaultQuery("asynchronous calls")(ofOne { a =>
      val called = a.mapAsyncWith(a.schema, ordered = false, maxInFlight = 4)(new SlowAnswers)
      counts(called, window(col("time"), "10 seconds"), col("sub"))
    })
  )
}
