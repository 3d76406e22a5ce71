package tidegate.execution

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy}
import tidegate.clock.{LateRows, OperatorBatch, RunningQuery, SubstreamStats}
import tidegate.plans._

/**
 * Plans Tidegate's nodes.
 *
 * The statistics are made and registered here, not in a columnar rule, which may see only fragments
 * of a plan. Without an active query, as in `explain` of a frame, there is no watermark.
 */
final case class KeyedWatermarkStrategy(session: SparkSession) extends SparkStrategy {
  private val MicrosPerMs = 1000L

  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case k: KeyedWatermark =>
      Seq(
        KeyedWatermarkExec(
          planLater(k.left),
          planLater(k.right),
          k.output,
          k.eventTime,
          k.substream,
          k.spec,
          query.map(_.batchTimes).flatMap(_.node(k.spec.name)),
          stats(k)
        )
      )
    case d: DropLate       => Seq(dropLate(d))
    case r: RetagEventTime => Seq(RetagEventTimeExec(r.columns, r.metadata, planLater(r.child)))
    case o: KeyedOutput    =>
      val tagged = o.output.filter(_.exprId == o.eventTime.exprId)
      Seq(RetagEventTimeExec(tagged, tagged.map(_.metadata), planLater(o.child)))
    // There are no bounds to wait for any more; a stream without them was refused at its start.
    case b: BoundsFollow => Seq(planLater(b.child))
    case _               => Nil
  }

  private def query: Option[RunningQuery] = RunningQuery.current(session.sparkContext)

  private def stats(node: KeyedWatermark): SubstreamStats = {
    // A function in foreachBatch may plan a keyed frame that is not this query's.
    val running = query.filter(_.nodes.exists(_.spec == node.spec))
    val bound =
      for (q <- running; skew <- node.spec.maxFutureSkewMs)
        yield (q.batchTimes.batchTimestampMs + skew) * MicrosPerMs
    val stats = new SubstreamStats(bound.getOrElse(Long.MaxValue))
    session.sparkContext.register(stats)
    running.foreach(_.clock.register(node, stats))
    stats
  }

  private def dropLate(node: DropLate): SparkPlan = {
    val running = query.filter(_.operators.exists(_.operator == node.operator))
    val late = new LateRows
    session.sparkContext.register(late)
    running.foreach(_.clock.register(node.operator, late))
    val times = running.map(_.batchTimes)
    DropLateExec(
      planLater(node.child),
      node.time,
      node.operator,
      node.key,
      times.fold(OperatorBatch.none)(_.operator(node.operator)),
      node.grid,
      node.eventTime,
      late
    )
  }
}
