package tidegate.operators

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.tidegate.SparkInternals
import tidegate._
import tidegate.core.clock.InputTime
import tidegate.plans.DropLate
import tidegate.preparation.{InsertDropLate, SelectEventTimeColumn}

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

  /** Of 0 to 20 joins. Each time is bounded by the one before, so that keys live through all. */
  private lazy val chains: Seq[LogicalPlan] = (1 to 20)
    .scanLeft(stream(0)) { (left, i) =>
      left.join(
        stream(i),
        expr(
          s"n0 = n$i AND time$i >= time${i - 1} - INTERVAL 1 MINUTE AND " +
            s"time$i <= time${i - 1} + INTERVAL 1 MINUTE"
        )
      )
    }
    .map(SparkInternals.analyzed(_))

  test("each node of chained joins is computed once, and twice as many joins are twice the work") {
    def work(joins: Int): Int = {
      val times = new Counting
      assert(times.of(chains(joins)).keySet === Set((joins - 1).toByte, joins.toByte))
      times.computed
    }
    val (five, ten, twenty) = (work(5), work(10), work(20))
    assert(twenty - ten === 2 * (ten - five))
    assert(twenty <= chains(20).collect { case node => node }.size)
  }

  test("late rows are dropped for each side of twenty chained joins") {
    val prepared = InsertDropLate(SelectEventTimeColumn(chains(20)), OutputMode.Append())
    val names = prepared.collect { case d: DropLate => d.operator }
    assert(names.count(_.contains("left")) === 20)
    assert(names.count(_.contains("right")) === 20)
    assert(names.distinct === names)
  }
}
