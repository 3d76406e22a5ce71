package tidegate.execution

import scala.reflect.ClassTag

import org.apache.hadoop.conf.Configuration
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.physical.Distribution
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.tidegate.{OperatorFigures, OperatorState, StateStoreWriter}
import org.apache.spark.sql.types.StructType
import tidegate.settings.Settings

/**
 * A stateful operator of our own with one store.
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
   * Gives the rows of each partition to `update`, with the state store of the partition. It must
   * not use the operator, which would go to each task with the whole plan below it.
   *
   * @param isPrefixed
   *   whether keys are found by the first of their columns too
   * @param countsRows
   *   whether the store may have to count its rows; if not, the operator gives their number to
   *   `StoreTask.commitAtEnd`
   */
  protected def withStore[T: ClassTag](
      rows: RDD[T],
      isPrefixed: Boolean = false,
      countsRows: Boolean = true
  )(
      update: (StoreTask, Iterator[T]) => Iterator[InternalRow]
  ): RDD[InternalRow] = {
    val figures = OperatorFigures.of(this)
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
    )((store, rows) => update(new StoreTask(store, figures), rows))
  }
}
