package tidegate.own

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

  /**
   * The key and the value of the state in a checkpoint of an earlier version, if they are others
   * than those of today, and rows of such a state move while the query runs.
   *
   * @param key
   *   the key as the checkpoint has it
   */
  protected def earlierSchemas(key: StructType): Option[(StructType, StructType)] = None

  /** Refuses a state that has the types of today, but means something else. */
  protected def check(stored: StateStoreColFamilySchema): Unit = ()

  /**
   * Whether the store would look up each row that is written or removed, to count its rows. Then
   * the operator counts them itself.
   */
  protected def countsItself: Boolean =
    conf.stateStoreProviderClass == OperatorState.rocksDbProvider

  /** Whether what the checkpoint says of the state, if anything, is of just this operator. */
  private[tidegate] def isAsStored(hadoopConf: Configuration): Boolean =
    OperatorState
      .storedSchema(getStateInfo.checkpointLocation, getStateInfo.operatorId, hadoopConf)
      .forall { stored =>
        (earlierSchemas(stored.keySchema) ++ Some(keySchema -> valueSchema)).exists {
          case (key, value) =>
            StateSchemas.areAlike(stored.keySchema, key) &&
            StateSchemas.areAlike(stored.valueSchema, value)
        }
      }

  /**
   * Lets Spark compare the schemas with those in the checkpoint. The schemas of an earlier version
   * are replaced by those of today, before a row of today is written: an earlier version must not
   * read the state again.
   */
  override def validateAndMaybeEvolveStateSchema(
      hadoopConf: Configuration,
      batchId: Long,
      stateSchemaVersion: Int
  ): List[StateSchemaValidationResult] = {
    val (location, id) = (getStateInfo.checkpointLocation, getStateInfo.operatorId)
    val today = schemaOfStore(keySchema, valueSchema)
    val stored = OperatorState.storedSchema(location, id, hadoopConf)
    stored.foreach(check)
    val earlier = stored.flatMap(schema => earlierSchemas(schema.keySchema))
    val (key, value) = earlier.getOrElse(keySchema -> valueSchema)
    def checked(now: StructType, before: StateStoreColFamilySchema => StructType): StructType =
      stored.map(before).fold(now)(StateSchemas.asStrict(now, _))
    val result = StateSchemaCompatibilityChecker.validateAndMaybeEvolveStateSchema(
      getStateInfo,
      hadoopConf,
      List(schemaOfStore(checked(key, _.keySchema), checked(value, _.valueSchema))),
      session.sessionState,
      stateSchemaVersion
    )
    if (earlier.isDefined)
      OperatorState.replaceSchema(location, id, today, stateSchemaVersion, hadoopConf)
    List(result)
  }

  private def schemaOfStore(key: StructType, value: StructType) =
    StateStoreColFamilySchema(StateStore.DEFAULT_COL_FAMILY_NAME, 0, key, 0, value)

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
   * @param checksValues
   *   whether Spark checks that the first values fit the schema: not if the store may have rows of
   *   an earlier one
   */
  protected def withStore[T: ClassTag](
      rows: RDD[T],
      isPrefixed: Boolean = false,
      countsRows: Boolean = true,
      checksValues: Boolean = true
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
      countsRows,
      checksValues
    )((store, rows) => update(new StoreTask(store, figures), rows))
  }
}
