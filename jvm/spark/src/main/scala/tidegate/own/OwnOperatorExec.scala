package tidegate.own

import org.apache.hadoop.conf.Configuration
import org.apache.spark.SparkThrowable
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.physical.Distribution
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.tidegate.{
  OperatorFigures,
  OperatorState,
  StateStoreWriter,
  StatefulOperatorStateInfo
}
import org.apache.spark.sql.types.StructType
import tidegate.errors.CheckpointErrors
import tidegate.execution.DescribesItself
import tidegate.settings.Settings

/**
 * The physical node of an operator of our own: it has one store. A subclass says what the state is,
 * and what a task does.
 */
private[tidegate] trait OwnOperatorExec extends StateStoreWriter with DescribesItself {
  self: SparkPlan =>

  /** What the operator has in the batch. */
  def context: OperatorContext

  /** What the state is. */
  protected def mark: StateMark

  /** The columns of the key of the state. */
  protected def keyColumns: StructType

  protected def valueSchema: StructType

  /** The key of the state, with its mark. */
  protected final def keySchema: StructType = mark.on(keyColumns)

  final override def stateInfo: Option[StatefulOperatorStateInfo] = context.stateInfo

  final override def shortName: String = mark.kind

  /** For messages. */
  protected def label: String = context.name.getOrElse(shortName)

  override def simpleString(maxFields: Int): String = s"$nodeName($describe)"

  /** Brings the rows of each group together: in a query, where the store of their partition is. */
  protected def grouped(by: Seq[Attribute]): Distribution =
    OperatorState.grouped(by, stateInfo, conf)

  /**
   * The key and the value of a state in an earlier format, if the operator still reads rows of this
   * format and moves them while the query runs. There is no such format yet.
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
   * Lets Spark compare the schemas with those in the checkpoint. The schemas of an earlier format
   * are replaced before anything is written, so that the earlier version can no longer open the
   * state.
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
    val result =
      try
        StateSchemaCompatibilityChecker.validateAndMaybeEvolveStateSchema(
          getStateInfo,
          hadoopConf,
          List(schemaOfStore(checked(key, _.keySchema), checked(value, _.valueSchema))),
          session.sessionState,
          stateSchemaVersion
        )
      catch {
        // Spark advises to turn its check off, and then reads rows that are no such rows.
        case e: UnsupportedOperationException with SparkThrowable if stored.isDefined =>
          throw otherColumns(e, stored.get)
      }
    if (earlier.isDefined)
      OperatorState.replaceSchema(location, id, today, stateSchemaVersion, hadoopConf)
    List(result)
  }

  private def otherColumns(
      refused: Throwable with SparkThrowable,
      stored: StateStoreColFamilySchema
  ): Throwable = {
    val differ = refused.getCondition match {
      case "STATE_STORE_KEY_SCHEMA_NOT_COMPATIBLE"   => Some(stored.keySchema -> keySchema)
      case "STATE_STORE_VALUE_SCHEMA_NOT_COMPATIBLE" => Some(stored.valueSchema -> valueSchema)
      case _                                         => None
    }
    differ.map { case (before, now) => StateSchemas.differences(before, now) } match {
      case Some((gone, added)) if gone.nonEmpty || added.nonEmpty =>
        CheckpointErrors.otherColumns(s"`$label`", gone, added)
      case _ => refused
    }
  }

  private def schemaOfStore(key: StructType, value: StructType) =
    StateStoreColFamilySchema(StateStore.DEFAULT_COL_FAMILY_NAME, 0, key, 0, value)

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
   *   an earlier format
   */
  protected def withStore[T](
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
