package tidegate.bench.watermark

import java.util.UUID

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.streaming.operators.stateful.EventTimeWatermarkExec
import org.apache.spark.sql.execution.{CollapseCodegenStages, LocalTableScanExec, SparkPlan}
import org.apache.spark.unsafe.types.CalendarInterval
import tidegate.bench.Pairs
import tidegate.execution.KeyedWatermarkExec
import tidegate.plans.WatermarkSpec
import tidegate.statistics.SubstreamStats

/**
 * Measures the cost of the watermark node for each row: the time of a plan with the node minus the
 * time of the plan without it, for `KeyedWatermarkExec` and Spark's `EventTimeWatermarkExec`.
 */
private[watermark] object NodeCost {
  private val Rows = 20000000L
  private val Rounds = 7

  def run(spark: SparkSession): Unit = {
    println(s"Cost of the node, ns for a row ($Rows rows, $Rounds rounds)")
    Seq(1, 8, 1000).foreach(substreams => run(spark, substreams))
  }

  private def run(spark: SparkSession, substreams: Int): Unit = {
    println(s" $substreams substreams")
    val rows = input(spark, substreams)
    val times = Pairs.measure(Rounds)(
      () => drain(rows),
      () => drain(sparkNode(rows)),
      () => drain(keyedNode(spark, rows, substreams))
    )
    def seconds(side: Int) = times(side).map(_.wall)
    val (none, sparks, keyed) = (seconds(0), seconds(1), seconds(2))
    def cost(seconds: Seq[Double], of: Seq[Double] => Double) =
      (of(seconds) - of(none)) * 1e9 / Rows
    Seq[(String, Seq[Double] => Double)]("min" -> (_.min), "median" -> Pairs.median).foreach {
      case (name, of) =>
        val (s, k) = (cost(sparks, of), cost(keyed, of))
        println(
          f" $substreams%5d substreams, $name%-6s: EventTimeWatermarkExec $s%5.1f ns, " +
            f"KeyedWatermarkExec $k%5.1f ns, ratio ${k / s}%.2f"
        )
    }
  }

  /**
   * A time, a substream and a number, computed in generated code, so that the node is most of the
   * work.
   */
  private def input(spark: SparkSession, substreams: Int): SparkPlan =
    spark
      .range(0, Rows, 1, 2)
      .selectExpr(
        "timestamp_micros(id * 10) AS time",
        s"CAST((id * 7919) % $substreams AS INT) AS sub",
        "id AS n"
      )
      .queryExecution
      .sparkPlan

  private def sparkNode(rows: SparkPlan): SparkPlan =
    EventTimeWatermarkExec(
      UUID.randomUUID(),
      rows.output.head,
      new CalendarInterval(0, 0, 5000000L),
      rows
    )

  private def keyedNode(spark: SparkSession, rows: SparkPlan, substreams: Int): SparkPlan = {
    val stats = new SubstreamStats(Long.MaxValue)
    spark.sparkContext.register(stats)
    KeyedWatermarkExec(
      rows,
      LocalTableScanExec(Nil, Nil, None),
      rows.output,
      rows.output.head,
      rows.output.head,
      if (substreams == 1) Nil else Seq(rows.output(1)),
      WatermarkSpec("time", 0, tidegate.fixedLag("5 seconds"), None, None, None),
      movedBy = None,
      watermark = () => None,
      stats
    )
  }

  private def drain(plan: SparkPlan): Unit =
    CollapseCodegenStages().apply(plan).execute().foreachPartition(rows => rows.foreach(_ => ()))
}
