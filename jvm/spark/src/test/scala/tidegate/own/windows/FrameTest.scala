package tidegate
package own.windows

import java.sql.Timestamp

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.tidegate.{Feed, SparkInternals}
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, Row}
import tidegate.own.{HarnessTest, OperatorHarness}
import tidegate.settings.Settings

/**
 * Sliding windows that are aggregated frame by frame, against Spark's own plan of the same query
 * over the same batches.
 */
trait FrameTest extends HarnessTest {

  /** Checks that the last batch has aggregated frames, and not copies of its rows. */
  def assertFrames(query: StreamingQuery): Unit = {
    // A run that had nothing to do has no plan.
    val _ = assert(!FrameTest.hasRun(query) || FrameTest.framesIn(query).nonEmpty, "no frames")
  }

  def assertFrames(run: OperatorHarness): Unit = {
    val _ = assert(run.plan.forall(FrameTest.framesIn(_).nonEmpty), "no frames")
  }

  /** The setting that decides between the two plans. */
  def setting: String = "spark.tidegate.windows.enabled"

  /**
   * Both plans have the same batches: also those in which only Spark's operators may do something.
   */
  def withFrames[T](enabled: Boolean)(body: => T): T = withConf(
    setting -> enabled.toString,
    Settings.NoDataBatchesOnlyWhenDue.key -> "false"
  )(body)

  def on[T](store: StateStoreKind)(body: => T): T =
    withConf(store.conf.toSeq: _*)(body)

  /** A source whose batches are the calls of `addData`. */
  def sentRows(): Feed[Row] = Feed.byBlock(spark, StructType.fromDDL(SentRow.schema))

  /** The same query twice: with frames, and with Spark's plan. They run side by side. */
  final class FramePair(frame: => DataFrame) {
    val on: OperatorHarness = harness(frame)
    val off: OperatorHarness = harness(frame)
    private var late = Map(on -> 0L, off -> 0L)

    def start(): this.type = {
      withFrames(true)(on.restart())
      withFrames(false)(off.restart())
      this
    }

    /** All that is there has been processed, or a batch that is made to fail has failed. */
    def settle(): this.type = {
      both.foreach(_.settle())
      this
    }

    def failIn(batch: Option[Long]): this.type = {
      both.foreach(_.failIn = batch.contains(_))
      this
    }

    def stop(): this.type = {
      both.foreach { run =>
        run.stop()
        late += run -> (late(run) + run.lateRows.values.sum)
      }
      this
    }

    def failed: Boolean = both.forall(_.failed)

    /** Makes it as if the query was stopped before it wrote the last offset. */
    def forgetLastOffset(): this.type = {
      both.foreach(_.forgetLastOffset())
      this
    }

    /** Over all starts, up to the last stop. */
    def lateRows(run: OperatorHarness): Long = late(run)

    def both: Seq[OperatorHarness] = Seq(on, off)
  }

  /** The batches of a run as the model wants them: the rows of files, the watermarks of the log. */
  def modelBatches(run: CollectedBatches, files: Seq[Seq[SentRow]]): Seq[FrameBatch] = {
    val log = run.log
    log.zip(None +: log.map(Some(_))).map { case (batch, before) =>
      def mark(logged: LoggedBatch) = logged.operators.values.headOption
      def orLowest(ms: Option[Long]) = ms.getOrElse(Long.MinValue)
      val file = batch.dataOffsets.head.toInt
      val isNew = !before.exists(_.dataOffsets == batch.dataOffsets)
      FrameBatch(
        batch.id,
        if (isNew) files(file) else Nil,
        orLowest(before.flatMap(mark).flatMap(_._1)),
        orLowest(mark(batch).flatMap(_._2))
      )
    }
  }

  /** By batch and window: the values after the columns of start, end, and `keys` keys. */
  def results(run: CollectedBatches, keys: Int): Map[Long, Map[FrameKey, Seq[Any]]] =
    run.rowsByBatch.view.mapValues { rows =>
      val windows = rows.map { row =>
        val start = row.getAs[Timestamp](0).getTime
        val end = row.getAs[Timestamp](1).getTime
        val key = FrameKey.text(row.toSeq.slice(2, 2 + keys))
        FrameKey(start, end, key) -> row.toSeq.drop(2 + keys)
      }
      assert(windows.map(_._1).distinct.size === windows.size, s"a window came twice: $rows")
      windows.toMap
    }.toMap

  /** Equal but for the order in a list, and for the last digits of a double. */
  def alike(a: Any, b: Any): Boolean = (a, b) match {
    case (x: Double, y: Double) =>
      x == y || x.isNaN && y.isNaN ||
      math.abs(x - y) <= 1e-9 * Seq(1.0, math.abs(x), math.abs(y)).max
    case (x: java.math.BigDecimal, y: java.math.BigDecimal) => x.compareTo(y) == 0
    case (x: Row, y: Row)                                   =>
      x.size == y.size && x.toSeq.zip(y.toSeq).forall { case (v, w) => alike(v, w) }
    case (x: scala.collection.Seq[_], y: scala.collection.Seq[_]) =>
      x.size == y.size &&
      x.sortBy(String.valueOf(_)).zip(y.sortBy(String.valueOf(_))).forall { case (v, w) =>
        alike(v, w)
      }
    case (x, y: Product) if !y.isInstanceOf[Row] && !x.isInstanceOf[Product] =>
      alike(x, Row.fromTuple(y))
    case _ => a == b
  }
}

object FrameTest extends AdaptiveSparkPlanHelper {

  /** Whether the query has run a batch since its start. */
  def hasRun(query: StreamingQuery): Boolean =
    SparkInternals.execution(query).get.lastExecution != null

  /** The plan of the last batch. */
  def planOf(query: StreamingQuery): SparkPlan =
    SparkInternals.execution(query).get.lastExecution.executedPlan

  /** The nodes that aggregate frames, in the plan of the last batch. */
  def framesIn(query: StreamingQuery): Seq[SparkPlan] = framesIn(planOf(query))

  /** The nodes that aggregate frames. */
  def framesIn(plan: SparkPlan): Seq[SparkPlan] =
    collect(plan) {
      case node if Set("FrameAggregate", "SessionAggregate")(node.nodeName) => node
    }
}
