package tidegate.operators

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.functions._
import org.apache.spark.sql.tidegate.SparkInternals
import tidegate._
import tidegate.core.clock.InputTime

/** How much work it is to find out where times come from. */
class KeyedTimesSuite extends KeyedStreamTest {

  private final class Counting extends KeyedTimes {
    var computed = 0

    override protected def compute(plan: LogicalPlan): Map[Byte, InputTime] = {
      computed += 1
      super.compute(plan)
    }
  }

  private def stream(i: Int): DataFrame = events()
    .toDF()
    .select(col("n").as(s"n$i"), col("time").as(s"time$i"))
    .withKeyedWatermark(s"time$i", "1 second", key = i)

  /** Each time is bounded by the one before, so that keys live through all of the joins. */
  private def chain(joins: Int): DataFrame = (1 to joins).foldLeft(stream(0)) { (left, i) =>
    left.join(
      stream(i),
      expr(
        s"n0 = n$i AND time$i >= time${i - 1} - INTERVAL 1 MINUTE AND " +
          s"time$i <= time${i - 1} + INTERVAL 1 MINUTE"
      )
    )
  }

  private def nodes(plan: LogicalPlan): Int = 1 + plan.children.map(nodes).sum

  test("each node of chained joins is computed once, and twice as many joins are twice the work") {
    def work(joins: Int): Int = {
      val plan = SparkInternals.analyzed(chain(joins))
      val times = new Counting
      assert(times.of(plan).keySet === Set((joins - 1).toByte, joins.toByte))
      assert(times.computed <= nodes(plan))
      times.computed
    }
    val (five, ten, twenty) = (work(5), work(10), work(20))
    assert(twenty - ten === 2 * (ten - five))
  }

  test("a query of twenty joins is prepared, planned and run") {
    val in = (0 to 20).map(_ => events())
    val streams = in.zipWithIndex.map { case (source, i) =>
      source
        .toDF()
        .select(col("n").as(s"n$i"), col("time").as(s"time$i"))
        .withKeyedWatermark(s"time$i", "1 second", key = i)
    }
    val joined = streams.zipWithIndex.tail.foldLeft(streams.head) { case (left, (right, i)) =>
      left.join(right, expr(s"n0 = n$i AND time$i = time${i - 1}"))
    }
    val run = new Run(joined.select("time20")).start()
    in.foreach(_.addData(event("a", 5)))
    run.settle()
    assert(run.answer === Seq("5"))
  }
}
