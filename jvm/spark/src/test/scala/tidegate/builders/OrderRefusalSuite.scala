package tidegate
package builders

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.{AnalysisException, DataFrame}
import tidegate.own.order.OrderTest

/** Every refused order: its condition and its whole sentence. */
class OrderRefusalSuite extends OrderTest {

  private def refused(condition: String, sentence: String)(body: => Any): Unit = {
    val error = intercept[AnalysisException](body)
    assert(error.getCondition === s"TIDEGATE_$condition")
    val message = error.getMessage.split(";\n").head
    assert(message === s"[TIDEGATE_$condition] $sentence SQLSTATE: ${error.getSqlState}")
  }

  private def in: DataFrame = events().toDF()
  private def rows: DataFrame = keyed(in)

  test("a stream without a keyed watermark") {
    refused(
      "ORDER_WITHOUT_WATERMARK",
      "A stream is to be ordered by event time, but none of its columns has a keyed watermark, so " +
        "that no row would ever leave. Call withKeyedWatermark('ts', '5 seconds') on it before, or " +
        "put IMPOSE_ORDER(TABLE(t), DESCRIPTOR(ts), INTERVAL 5 SECONDS) in the place of the table."
    )(in.orderByEventTime())
  }

  test("a column without a watermark, and one that was computed") {
    def sentence(column: String, reason: String) =
      s"A stream is to be ordered by the column `$column`, which $reason, so that no row would ever " +
        s"leave. Call withKeyedWatermark('$column', '5 seconds') on it before, or put " +
        s"IMPOSE_ORDER(TABLE(t), DESCRIPTOR($column), INTERVAL 5 SECONDS) in the place of the table."
    refused("ORDER_NOT_KEYED", sentence("time", "has no watermark"))(
      in.orderByEventTime(eventTime = "time")
    )
    refused(
      "ORDER_NOT_KEYED",
      sentence("later", "is computed from `time` and so has no watermark any more")
    )(
      rows
        .withColumn("later", col("time") + expr("interval 1 second"))
        .orderByEventTime(Seq("sub"), "later")
    )
  }

  test("columns that do not exist") {
    refused(
      "EVENT_TIME_NOT_FOUND",
      "The event time column `tiem` does not exist. Use one of the columns of the stream: `sub`, " +
        "`time`, `n`."
    )(rows.orderByEventTime(Nil, "tiem"))
    refused(
      "ORDER_KEY_NOT_FOUND",
      "The column `bus` that rows are divided by before they are ordered does not exist. Use one " +
        "or more of the columns that there are: `sub`, `time`, `n`."
    )(rows.orderByEventTime(Seq("sub", "bus")))
  }

  test("columns of other types") {
    refused(
      "EVENT_TIME_NOT_TIMESTAMP",
      "The event time column `n` has the type INT, but must be a TIMESTAMP or TIMESTAMP_NTZ. " +
        "Convert it first, for example with to_timestamp or timestamp_millis."
    )(rows.orderByEventTime(Nil, "n"))
    refused(
      "ORDER_KEY_TYPE",
      "The column `tags` that rows are divided by before they are ordered has the type MAP<STRING, " +
        "INT>, whose values cannot be compared. Use a column of a simple type, such as STRING or INT."
    )(rows.withColumn("tags", map(col("sub"), col("n"))).orderByEventTime(Seq("tags")))
  }

  test("two columns that the order could be by") {
    refused(
      "AMBIGUOUS_EVENT_TIME",
      "The operator `orderByEventTime` sees more than one column with a watermark key: `time`, " +
        "`time2`. Leave only one of them in its keys or condition, or drop the others with select " +
        "before it."
    )(
      rows
        .withColumn("time2", col("time") + expr("interval 1 second"))
        .withKeyedWatermark("time2", "1 second", key = 1)
        .orderByEventTime()
    )
  }

  test("a union with a branch that lacks the key") {
    refused(
      "KEY_NOT_AVAILABLE",
      "The operator `orderByEventTime` runs on the column `time` with the watermark key 0, but that " +
        "key does not reach it: branch 2 of the union, with the columns sub, time, n, has no " +
        "watermark with this key; call withKeyedWatermark with the same key on it."
    )(rows.union(in).orderByEventTime())
  }

  test("tables with no time, and with two") {
    refused(
      "ORDER_TIME_NEEDED",
      "A table is to be ordered by event time, but has no time column and no watermark that tells " +
        "which is meant. Name one: eventTime='ts', or DESCRIPTOR(ts) in SQL."
    )(spark.range(3).orderByEventTime())
    refused(
      "ORDER_TIME_NEEDED",
      "A table is to be ordered by event time, but has the time columns `a`, `b` and no watermark " +
        "that tells which is meant. Name one: eventTime='ts', or DESCRIPTOR(ts) in SQL."
    )(
      spark
        .range(3)
        .select(timestamp_seconds(col("id")).as("a"), timestamp_seconds(col("id")).as("b"))
        .orderByEventTime()
    )
  }

  test("another output mode than append") {
    for (mode <- Seq("update", "complete"))
      refused(
        "ORDER_OUTPUT_MODE",
        "The query orders a stream by event time, which works in output mode append, but its " +
          s"output mode is $mode. Use outputMode('append'): a row leaves once, when the watermark " +
          "has passed it."
      ) {
        rows.orderByEventTime().writeStream.outputMode(mode).format("noop").start()
      }
    refused(
      "ORDER_OUTPUT_MODE",
      "The query orders a stream by event time, which works in output mode append, but its output " +
        "mode is complete. Use outputMode('append'): a row leaves once, when the watermark has " +
        "passed it."
    )(new Run(rows.orderByEventTime().groupBy("sub").count(), mode = OutputMode.Complete()).start())
  }

  test("Spark's own watermark under an order") {
    refused(
      "ORDER_WITHOUT_WATERMARK",
      "A stream is to be ordered by event time, but none of its columns has a keyed watermark, so " +
        "that no row would ever leave. Call withKeyedWatermark('ts', '5 seconds') on it before, or " +
        "put IMPOSE_ORDER(TABLE(t), DESCRIPTOR(ts), INTERVAL 5 SECONDS) in the place of the table."
    )(in.withWatermark("time", "1 second").orderByEventTime())
  }
}
