package org.apache.spark.sql.tidegate

import scala.reflect.ClassTag

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

/** Rows with the state store of their partition, which is opened with settings of its own. */
private final class OwnStateRdd[T: ClassTag, U: ClassTag](
    rows: RDD[T],
    update: (StateStore, Iterator[T]) => Iterator[U],
    state: StatefulOperatorStateInfo,
    keySchema: StructType,
    valueSchema: StructType,
    encoder: KeyStateEncoderSpec,
    @transient session: SparkSession,
    @transient settings: SQLConf
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
  override protected val storeConf: StateStoreConf = new StateStoreConf(settings)
}
