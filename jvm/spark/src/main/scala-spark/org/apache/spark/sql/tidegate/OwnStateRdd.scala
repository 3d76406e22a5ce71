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
 * @param provider
 *   the class of the store. The log of the checkpoint has that of the session
 */
private final class OwnStateRdd[T: ClassTag, U: ClassTag](
    rows: RDD[T],
    update: (StateStore, Iterator[T]) => Iterator[U],
    state: StatefulOperatorStateInfo,
    keySchema: StructType,
    valueSchema: StructType,
    encoder: KeyStateEncoderSpec,
    @transient session: SparkSession,
    provider: String
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
    ) {
  override protected val storeConf: StateStoreConf =
    new OwnStoreConf(session.sessionState.conf, provider)
}

private final class OwnStoreConf(settings: SQLConf, override val providerClass: String)
    extends StateStoreConf(settings)
