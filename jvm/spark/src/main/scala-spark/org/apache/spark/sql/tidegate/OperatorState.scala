package org.apache.spark.sql.tidegate

import scala.reflect.ClassTag

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.physical.{ClusteredDistribution, Distribution}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/** The state of our stateful operators: its place, its schema, its store. */
object OperatorState {

  /** The class name of Spark's state store in RocksDB. */
  val rocksDbProvider: String = classOf[RocksDBStateStoreProvider].getName

  private val inMemoryProvider = classOf[HDFSBackedStateStoreProvider].getName

  /**
   * Gives the rows of each partition to `update`, with the state store of the partition. The store
   * is aborted when a task ends that has not committed.
   *
   * @param sharesVersions
   *   whether a state in memory is in [[SharingStateStoreProvider]] instead of Spark's class. The
   *   files of a checkpoint, and what its log says of the store, are the same
   * @param countsRows
   *   whether RocksDB counts its rows, if the settings say so: then it looks up each row that is
   *   written
   * @param checksValues
   *   whether Spark checks that the first values that are read fit the schema: not if values of an
   *   earlier schema may be among them
   */
  def withStore[T, U: ClassTag](
      rows: RDD[T],
      state: StatefulOperatorStateInfo,
      keySchema: StructType,
      valueSchema: StructType,
      encoder: KeyStateEncoderSpec,
      session: SparkSession,
      sharesVersions: Boolean,
      countsRows: Boolean = true,
      checksValues: Boolean = true
  )(update: (StateStore, Iterator[T]) => Iterator[U]): RDD[U] = {
    val settings = session.sessionState.conf
    val provider =
      if (sharesVersions && isShareable(settings)) classOf[SharingStateStoreProvider].getName
      else settings.stateStoreProviderClass
    val storeSettings = if (countsRows) settings else withoutCount(settings)
    val options =
      if (checksValues) Map.empty[String, String]
      else Map(StateStoreConf.FORMAT_VALIDATION_CHECK_VALUE_CONFIG -> "false")
    val conf = new OwnStoreConf(storeSettings, provider, options)
    new OwnStateRdd(rows, update, state, keySchema, valueSchema, encoder, session, conf)
  }

  /**
   * Whether versions may share rows: not if none stays in memory. Spark since 4.2 verifies the
   * checksums of rows in its own map.
   */
  private def isShareable(settings: SQLConf): Boolean =
    settings.stateStoreProviderClass == inMemoryProvider &&
      settings.maxBatchesToRetainInMemory > 0 &&
      !Seq(RowChecksums, UnloadOnCommit)
        .exists(settings.getConfString(_, "false").trim.toBoolean)

  /**
   * Whether rows are best found by the first columns of their keys. Spark's own store in memory
   * would need a second map for this, and others may not have it at all.
   *
   * @param sharesVersions
   *   as for [[withStore]]
   */
  def findsByPrefix(settings: SQLConf, sharesVersions: Boolean): Boolean =
    settings.stateStoreProviderClass == rocksDbProvider ||
      sharesVersions && isShareable(settings)

  private def withoutCount(settings: SQLConf): SQLConf = {
    val others = settings.clone()
    others.setConfString("spark.sql.streaming.stateStore.rocksdb.trackTotalNumberOfRows", "false")
    others
  }

  private val RowChecksums = "spark.sql.streaming.stateStore.rowChecksum.enabled"
  private val UnloadOnCommit = "spark.sql.streaming.stateStore.unloadOnCommit"

  /** The place of an operator's state in the batch that is being planned. */
  def info(batch: IncrementalExecution, operatorId: Long): StatefulOperatorStateInfo =
    new StatefulOperatorStateInfo(
      batch.checkpointLocation,
      batch.runId,
      operatorId,
      batch.currentBatchId,
      batch.numStateStores,
      None,
      batch.currentStateStoreCkptId.get(operatorId)
    )

  /** Brings the rows of each group together: in a query, where the store of their partition is. */
  def grouped(
      by: Seq[Expression],
      state: Option[StatefulOperatorStateInfo],
      conf: SQLConf
  ): Distribution =
    state.fold[Distribution](ClusteredDistribution(by))(
      StatefulOperatorPartitioning.getCompatibleDistribution(by, _, conf)
    )

  /**
   * The schema of an operator's state in a checkpoint; none if there is no state yet.
   *
   * @param stateLocation
   *   the folder with the states of all operators
   */
  def storedSchema(
      stateLocation: String,
      operatorId: Long,
      hadoopConf: Configuration
  ): Option[StateStoreColFamilySchema] = {
    val store = StateStoreId(stateLocation, operatorId, 0)
    val path = schemaFile(store)
    val files = path.getFileSystem(hadoopConf)
    if (!files.exists(path)) None
    else StateSchemaCompatibilityChecker.readSchemaFile(files.open(path)).headOption
  }

  /**
   * Writes another schema of an operator's state in the place of the one in the checkpoint, which
   * Spark itself would never replace. A kill may leave no schema, and then Spark writes that of the
   * operator at the next start: to overwrite a file in one step is more than each file system can.
   */
  def replaceSchema(
      stateLocation: String,
      operatorId: Long,
      schema: StateStoreColFamilySchema,
      formatVersion: Int,
      hadoopConf: Configuration
  ): Unit = {
    write(
      schemaFile(StateStoreId(stateLocation, operatorId, 0)),
      List(schema),
      formatVersion,
      hadoopConf
    )
  }

  /**
   * Lets all columns of Spark's states be NULL in their schemas. Rows are written in the same way
   * where a column may be NULL. But Spark refuses a plan in which a column may be NULL that the
   * schema says is not, and which plan knows that of which column depends on where it filters.
   *
   * @param operatorId
   *   the operator of Spark's
   */
  def allowNulls(stateLocation: String, operatorId: Long, hadoopConf: Configuration): Unit = {
    val operator = new Path(stateLocation, operatorId.toString)
    val files = operator.getFileSystem(hadoopConf)
    def filesIn(folder: Path) =
      if (files.exists(folder)) files.listStatus(folder).toSeq.map(_.getPath) else Nil
    // A join has a folder for each of its stores. Other operators have one file for all their
    // stores, or one for each time that the schema has changed.
    val partition = StateStoreId(stateLocation, operatorId, 0).storeCheckpointLocation()
    val ofStores =
      (partition +: filesIn(partition)).map(new Path(_, "_metadata/schema")).filter(files.exists)
    for (path <- ofStores ++ filesIn(new Path(operator, "_stateSchema")).flatMap(filesIn)) {
      val in = files.open(path)
      val version =
        try in.readUTF().stripPrefix("v").toInt
        finally in.close()
      val schemas = StateSchemaCompatibilityChecker.readSchemaFile(files.open(path))
      // Spark 3 has written those of version 1, and no Spark of today writes them.
      if (version > 1)
        write(
          path,
          schemas.map(s =>
            s.copy(keySchema = s.keySchema.asNullable, valueSchema = s.valueSchema.asNullable)
          ),
          version,
          hadoopConf
        )
    }
  }

  private def write(
      path: Path,
      schemas: List[StateStoreColFamilySchema],
      formatVersion: Int,
      hadoopConf: Configuration
  ): Unit = {
    val files = CheckpointFileManager.create(path, hadoopConf)
    val out = files.createAtomic(path, overwriteIfPossible = false)
    try {
      SchemaHelper.SchemaWriter.createSchemaWriter(formatVersion).write(schemas, out)
      files.delete(path)
      out.close()
    } catch {
      case e: Throwable =>
        out.cancel()
        throw e
    }
  }

  /** Where Spark writes the schema of a store. */
  private def schemaFile(store: StateStoreId): Path =
    new Path(store.storeCheckpointLocation(), "_metadata/schema")

  /**
   * The schemas of all that a store of an operator holds, after a batch.
   *
   * @param store
   *   the name of the store; a join has several
   */
  def schemas(
      stateLocation: String,
      operatorId: Long,
      store: String,
      batchId: Long,
      hadoopConf: Configuration
  ): Seq[StateStoreColFamilySchema] = {
    val one = schemaFile(StateStoreId(stateLocation, operatorId, 0, store))
    // Only `transformWithState` has these: its state may change from one batch to the next.
    val many = new Path(new Path(stateLocation, operatorId.toString), s"_stateSchema/$store")
    val files = many.getFileSystem(hadoopConf)
    def batchOf(file: Path) = file.getName.takeWhile(_ != '_').toLongOption.filter(_ <= batchId)
    val found =
      if (!files.exists(many)) Some(one).filter(files.exists)
      else files.listStatus(many).map(_.getPath).filter(batchOf(_).isDefined).maxByOption(batchOf)
    found.toSeq.flatMap(f => StateSchemaCompatibilityChecker.readSchemaFile(files.open(f)))
  }
}
