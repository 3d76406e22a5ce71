package tidegate
package operators

import java.nio.file.Path

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._
import tidegate.builders.Between

/**
 * Queries of several stateful operators. Each is killed at every moment, and gives what the same
 * query gives in batch.
 */
class ChainSuite extends JoinTest {

  override protected def atNight: Seq[String] = Seq(
    "join state format 3",
    "transformWithState in the middle",
    "part 2",
    "join state format 4"
  )

  private def joined(read: Path => DataFrame, how: String): DataFrame =
    orders(read(left)).streamJoin(deliveries(read(right)), Seq("id"), how, within(10))

  private def perWindow(stream: DataFrame, time: String, name: String): DataFrame =
    stream.groupBy(window(col(time), "20 seconds").as("window")).agg(count("*").as(name))

  private type Query = (Path => DataFrame) => DataFrame

  private val windowOverOuterJoin: (String, Query) =
    "a window over an outer join: rows without a partner are not late for it" ->
      (read => perWindow(joined(read, "leftOuter"), "order_time", "n"))

  private def joinOverWindows(how: String): (String, Query) =
    s"a $how join over equal windows" -> { read =>
      val l = perWindow(orders(read(left)), "order_time", "orders")
      val r = perWindow(deliveries(read(right)), "delivery_time", "deliveries")
      l.streamJoin(r, l("window") === r("window"), how)
    }

  private val chains: Seq[(String, Query)] = Seq(
    "a window over an inner join, by the time of the left side" ->
      (read => perWindow(joined(read, "inner"), "order_time", "n")),
    "a window over an inner join, by the time of the right side" ->
      (read => perWindow(joined(read, "inner"), "delivery_time", "n")),
    windowOverOuterJoin,
    joinOverWindows("inner"),
    joinOverWindows("fullOuter"),
    joinOverWindows("leftSemi"),
    "a window over a window, by window_time" -> { read =>
      perWindow(orders(read(left)), "order_time", "n")
        .groupBy(window(window_time(col("window")), "40 seconds"))
        .agg(sum("n"), count("*"))
    },
    "deduplication, then a join" -> { read =>
      val (l, r) = (orders(read(left)), deliveries(read(right)))
      l.dropDuplicates("id", "order_time")
        .streamJoin(r.dropDuplicates("id", "delivery_time"), Seq("id"), "leftOuter", within(10))
        .select("id", "order_time", "delivery_time")
    },
    "two windows of different size on one stream" -> { read =>
      val stream = orders(read(left))
      def counts(size: String) = stream.groupBy(window(col("order_time"), size)).count()
      counts("10 seconds").union(counts("25 seconds"))
    },
    "a join of three streams, each with a key of its own" -> { read =>
      val returns = read(right)
        .select(
          col("n").as("id"),
          (col("time") + expr("interval 3 seconds")).as("return_time"),
          col("sub")
        )
        .withKeyedWatermark("return_time", "2 seconds", key = 2, substream = Seq("sub"))
      joined(read, "leftOuter")
        .select("id", "order_time", "delivery_time")
        .streamJoin(
          returns.select("id", "return_time"),
          Seq("id"),
          "leftOuter",
          Between("return_time", "order_time", "1 second", "5 seconds")
        )
    },
    "grouping by a second timed column" -> (countsOfTwoTimes(_))
  )

  private val (three, two) = chains.partition(_._1.contains("three"))

  for ((some, i) <- two.grouped(5).zipWithIndex)
    onRocksDb(s"chains of two operators, part ${i + 1}")(checkBranches(some ++ three.drop(i)))

  for (state <- joinStates if state.format > 2)
    test(s"windows over a join and under one, in join state format ${state.format}")(on(state) {
      checkBranches(Seq(windowOverOuterJoin, joinOverWindows("fullOuter")))
    })

  test("transformWithState in the middle: a window over its output, and a join with it") {
    on("RocksDB") {
      def held(events: DataFrame): DataFrame = BufferByTimer(
        events.withKeyedWatermark("time", "2 seconds", key = 0, substream = Seq("sub"))
      )
      val counts = (events: DataFrame) => events.groupBy(window(col("time"), "20 seconds")).count()
      checkAsBatch(
        _ => counts(held(stream(left))),
        counts(table(left)).collect().toSeq,
        isKilled = true
      )

      def join(events: DataFrame, deliveries: DataFrame) = {
        val orders = events.select(col("n").as("id"), col("time").as("order_time"))
        orders
          .streamJoin(deliveries, Seq("id"), "leftOuter", within(10))
          .select("id", "order_time", "delivery_time")
      }
      checkAsBatch(
        _ => join(held(stream(left)), deliveries(stream(right))),
        join(table(left), deliveries(table(right))).collect().toSeq,
        isKilled = true
      )
    }
  }

  private def countsOfTwoTimes(read: Path => DataFrame): DataFrame = joined(read, "inner")
    .groupBy(window(col("order_time"), "20 seconds"), col("delivery_time"))
    .count()

  test("the watermark of a second timed column ends where rows are grouped by that column") {
    val after =
      org.apache.spark.sql.tidegate.SparkInternals.analyzed(countsOfTwoTimes(stream(_)))
    assert(operators.KeyedTimes.of(after).keySet === Set(0.toByte))
  }
}
