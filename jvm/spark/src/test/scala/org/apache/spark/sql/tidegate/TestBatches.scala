package org.apache.spark.sql.tidegate

import java.util.UUID
import java.util.concurrent.atomic.AtomicLong

import scala.collection.mutable

import _root_.tidegate.analysis.LowerOver
import org.apache.spark.executor.TaskMetrics
import org.apache.spark.memory.TaskMemoryManager
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.streaming.WriteToStream
import org.apache.spark.sql.classic.ClassicConversions.castToImpl
import org.apache.spark.sql.classic.{SparkSession => ClassicSession}
import org.apache.spark.sql.execution.exchange.Exchange
import org.apache.spark.sql.execution.{SQLExecution, SparkPlan}
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.apache.spark.{Partition, SparkEnv, TaskContext, TaskContextImpl}

/**
 * Batches of one run of a query, without the query: the plan is made once, and each batch gets its
 * rows, watermarks and stores.
 */
final class TestBatches(session: SparkSession, checkpoint: String, mode: OutputMode) {

  /** As a query has it: settings that are changed later do not count. */
  private val classic: ClassicSession = {
    val own = castToImpl(session).cloneSession()
    own.conf.set("spark.sql.adaptive.enabled", "false")
    own
  }
  private var runId = UUID.randomUUID
  private val deserializers = mutable.Map.empty[StructType, ExpressionEncoder.Deserializer[Row]]
  private var isFirst = true

  /** Begins a new run, which has no stores in memory. */
  def restart(): Unit = {
    runId = UUID.randomUUID
    isFirst = true
  }

  /** The physical plan before its preparation for a batch. */
  def planned(plan: LogicalPlan): SparkPlan =
    classic.withActive(new Batch(plan, 0L, Map.empty).sparkPlan)

  /**
   * Prepares and runs a batch.
   *
   * @param stateIds
   *   by operator, the ids of the states after the last batch, where the format of the stores has
   *   them
   * @param dies
   *   whether the task ends at its first row
   * @param bound
   *   the plan with what the batch has of its own, by the places of its states
   * @return
   *   the plan that has run, its rows, and the ids of its states
   */
  def run(batchId: Long, stateIds: Map[Long, Array[Array[String]]], dies: Boolean = false)(
      bound: (Long => StatefulOperatorStateInfo) => SparkPlan
  ): (SparkPlan, Seq[Row], Map[Long, Array[Array[String]]]) = classic.withActive {
    val batch = new Batch(null, batchId, stateIds)
    val plan = batch.prepared(bound(OperatorState.info(batch, _)))
    isFirst = false
    classic.sparkContext.setLocalProperty(MicroBatchExecution.BATCH_ID_KEY, batchId.toString)
    try
      SQLExecution.withSQLConfPropagated(classic) {
        (plan, collected(plan, dies).map(deserializer(plan.schema)(_)), idsOf(plan))
      }
    finally classic.sparkContext.setLocalProperty(MicroBatchExecution.BATCH_ID_KEY, null)
  }

  /**
   * In this thread: a job of Spark spends more on the way to its task than in it. Where rows change
   * their partitions, there is a job.
   */
  private def collected(plan: SparkPlan, dies: Boolean): Seq[InternalRow] = {
    val rows = plan.execute()
    if (plan.exists(_.isInstanceOf[Exchange]))
      rows.mapPartitions(TestBatches.copied(_, dies)).collect().toSeq
    else rows.partitions.toSeq.flatMap(ran(rows, _, dies))
  }

  private def ran(rows: RDD[InternalRow], partition: Partition, dies: Boolean): Seq[InternalRow] = {
    val (env, id) = (SparkEnv.get, TestBatches.lastTask.incrementAndGet())
    val task = new TaskContextImpl(
      0,
      0,
      partition.index,
      id,
      0,
      1,
      new TaskMemoryManager(env.memoryManager, id),
      classic.sparkContext.getLocalProperties,
      env.metricsSystem,
      TaskMetrics.empty,
      1
    )
    env.blockManager.registerTask(id)
    TaskContext.setTaskContext(task)
    try TestBatches.copied(rows.iterator(partition, task), dies).toVector
    catch {
      case e: Throwable =>
        task.markTaskFailed(e)
        throw e
    } finally
      try task.markTaskCompleted(None)
      finally {
        TaskContext.unset()
        env.blockManager.releaseAllLocksForTask(id)
      }
  }

  private def deserializer(schema: StructType): ExpressionEncoder.Deserializer[Row] =
    deserializers.getOrElseUpdate(
      schema,
      ExpressionEncoder(schema).resolveAndBind().createDeserializer()
    )

  private def idsOf(plan: SparkPlan): Map[Long, Array[Array[String]]] =
    if (!classic.sessionState.conf.getConfString(TestBatches.FormatVersion, "1").equals("2"))
      Map.empty
    else
      plan.collect { case s: StateStoreWriter =>
        s.getStateInfo.operatorId ->
          s.getStateStoreCheckpointInfo().sortBy(_.partitionId).map(_.stateStoreCkptId.get)
      }.toMap

  private final class Batch(
      plan: LogicalPlan,
      batchId: Long,
      stateIds: Map[Long, Array[Array[String]]]
  ) extends IncrementalExecution(
        classic,
        plan,
        mode,
        s"$checkpoint/state",
        TestBatches.QueryId,
        runId,
        batchId,
        None,
        new OffsetSeqMetadata(0L, 0L, Map.empty),
        WatermarkPropagator(classic.sessionState.conf),
        isFirstBatch = isFirst,
        mutable.Map.from(stateIds)
      ) {
    def prepared(plan: SparkPlan): SparkPlan = preparations.foldLeft(plan)((p, rule) => rule(p))
  }
}

object TestBatches {
  private val QueryId = UUID.randomUUID

  /** Far from the numbers of Spark's own tasks. */
  private val lastTask = new AtomicLong(1L << 40)

  /** A task that dies ends at its first row, and commits no store. */
  private def copied(rows: Iterator[InternalRow], dies: Boolean): Iterator[InternalRow] = {
    if (dies && rows.hasNext) throw new IllegalStateException("a task that is made to fail")
    rows.map(_.copy())
  }

  private val FormatVersion = "spark.sql.streaming.stateStore.checkpointFormatVersion"

  /** A query as Spark is about to start it. */
  def start(frame: DataFrame, checkpoint: String, mode: OutputMode): WriteToStream =
    QueryToStart(checkpoint, mode, LowerOver.ofExplained(SparkInternals.analyzed(frame)))
}
