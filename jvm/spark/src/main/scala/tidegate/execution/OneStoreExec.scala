package tidegate.execution

import scala.concurrent.duration.NANOSECONDS
import scala.reflect.ClassTag

import org.apache.hadoop.conf.Configuration
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.physical.Distribution
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.tidegate.{OperatorState, StateStoreWriter}
import org.apache.spark.sql.types.StructType
import org.apache.spark.{InterruptibleIterator, TaskContext}
import tidegate.settings.Settings

/**
 * A stateful operator of our own with one store, which a task commits when its last row is taken.
 */
private[tidegate] trait OneStoreExec extends StateStoreWriter { self: SparkPlan =>

  /** The name of the operator; none if the query has not started. */
  def operator: Option[String]

  protected def keySchema: StructType

  protected def valueSchema: StructType

  /** Brings the rows of each group together: in a query, where the store of their partition is. */
  protected def grouped(by: Seq[Attribute]): Distribution =
    OperatorState.grouped(by, stateInfo, conf)

  override def validateAndMaybeEvolveStateSchema(
      hadoopConf: Configuration,
      batchId: Long,
      stateSchemaVersion: Int
  ): List[StateSchemaValidationResult] = {
    val stored = OperatorState
      .storedSchema(getStateInfo.checkpointLocation, getStateInfo.operatorId, hadoopConf)
    def checked(now: StructType, before: StateStoreColFamilySchema => StructType): StructType =
      stored.map(before).fold(now)(SchemaNullability.asStrict(now, _))
    val schema = StateStoreColFamilySchema(
      StateStore.DEFAULT_COL_FAMILY_NAME,
      0,
      checked(keySchema, _.keySchema),
      0,
      checked(valueSchema, _.valueSchema)
    )
    List(
      StateSchemaCompatibilityChecker.validateAndMaybeEvolveStateSchema(
        getStateInfo,
        hadoopConf,
        List(schema),
        session.sessionState,
        stateSchemaVersion
      )
    )
  }

  /**
   * The rows of a child; the child may use a store of its own, which the task must forget first.
   */
  protected def rowsOf(child: SparkPlan): RDD[InternalRow] = child.execute().mapPartitions { rows =>
    OperatorState.forgetStoreOfTask()
    rows
  }

  /**
   * Gives the rows of each partition to `update`, with the state store of the partition.
   *
   * @param isPrefixed
   *   whether keys are found by the first of their columns too
   * @param countsRows
   *   whether the store may have to count its rows; if not, the operator gives their number to
   *   `commitAtEnd`
   */
  protected def withStore[T: ClassTag](
      rows: RDD[T],
      isPrefixed: Boolean = false,
      countsRows: Boolean = true
  )(
      update: (StateStore, Iterator[T]) => Iterator[InternalRow]
  ): RDD[InternalRow] = {
    val encoder =
      if (isPrefixed) PrefixKeyScanStateEncoderSpec(keySchema, 1)
      else NoPrefixKeyStateEncoderSpec(keySchema)
    OperatorState.withStore(
      rows,
      getStateInfo,
      keySchema,
      valueSchema,
      encoder,
      session,
      Settings.StateSharesVersions.in(conf),
      countsRows
    )(update)
  }

  /**
   * Spark aborts the store of a task that ends before its last row. A task that is to be killed
   * ends at the next row: the rows of one key may be without number.
   *
   * @param hidden
   *   after the last row, the number of rows of the state that are not counted in the progress of
   *   the query, such as the pages of due keys
   * @param counted
   *   after the last row, what the progress of the query shows instead of the number of rows of the
   *   state, if it is something else
   * @param tell
   *   what is done after the last row
   */
  protected def commitAtEnd(
      store: StateStore,
      rows: Iterator[InternalRow],
      hidden: () => Long = () => 0L,
      counted: () => Option[Long] = () => None,
      tell: () => Unit = () => ()
  ): Iterator[InternalRow] = {
    val numOutputRows = longMetric("numOutputRows")
    val updateMs = longMetric("allUpdatesTimeMs")
    val commitMs = longMetric("commitTimeMs")
    val start = System.nanoTime
    val interruptible = new InterruptibleIterator(TaskContext.get(), rows)
    new Iterator[InternalRow] {
      private var isCommitted = false

      override def hasNext: Boolean = {
        val more = !isCommitted && interruptible.hasNext
        if (!more && !isCommitted) commit()
        more
      }

      override def next(): InternalRow = {
        numOutputRows += 1
        rows.next()
      }

      private def commit(): Unit = {
        isCommitted = true
        val (notCounted, instead) = (hidden(), counted())
        tell()
        // As in Spark's operators, this includes the time of the consumers of the rows.
        updateMs += NANOSECONDS.toMillis(System.nanoTime - start)
        commitMs += timeTakenMs(store.commit())
        setStoreMetrics(store)
        val total = longMetric("numTotalStateRows")
        if (notCounted > 0) total.set(math.max(0L, total.value - notCounted))
        instead.foreach(total.set)
        setOperatorMetrics()
      }
    }
  }
}
