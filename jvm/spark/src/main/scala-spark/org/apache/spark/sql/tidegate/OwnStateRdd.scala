package org.apache.spark.sql.tidegate

import scala.reflect.ClassTag

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/**
 * Rows with the state store of their partition.
 *
 * @param storeConf
 *   the settings of the store. The log of the checkpoint has those of the session
 */
private final class OwnStateRdd[T: ClassTag, U: ClassTag](
    rows: RDD[T],
    update: (StateStore, Iterator[T]) => Iterator[U],
    state: StatefulOperatorStateInfo,
    keySchema: StructType,
    valueSchema: StructType,
    encoder: KeyStateEncoderSpec,
    @transient session: SparkSession,
    override protected val storeConf: StateStoreConf
) extends StateStoreRDD[T, U](
      rows,
      update,
      state.checkpointLocation,
      state.queryRunId,
      state.operatorId,
      state.storeVersion,
      state.stateStoreCkptIds,
      state.stateSchemaMetadata,
      keySchema,
      valueSchema,
      encoder,
      session.sessionState,
      Some(session.streams.stateStoreCoordinator)
    )

/**
 * The settings of a store.
 *
 * @param providerClass
 *   the class of the store
 * @param options
 *   what an operator decides, by the names of [[StateStoreConf]]
 */
private final class OwnStoreConf(
    settings: SQLConf,
    override val providerClass: String,
    options: Map[String, String]
) extends StateStoreConf(settings, options)
