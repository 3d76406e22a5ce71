package org.apache.spark.sql.tidegate

import java.util.WeakHashMap

import scala.jdk.CollectionConverters._
import scala.reflect.ClassTag

import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.SerializableConfiguration
import org.apache.spark.{Partition, TaskContext}

/**
 * Rows with the state store of their partition. The store is aborted when a task ends that has not
 * committed.
 *
 * As Spark's `StateStoreRDD`, which broadcasts the configuration of Hadoop anew in each batch, for
 * each operator.
 *
 * @param update
 *   goes to the tasks as it is: it must be serializable
 * @param storeConf
 *   the settings of the store. The log of the checkpoint has those of the session
 */
private final class OwnStateRdd[T, U: ClassTag](
    rows: RDD[T],
    update: (StateStore, Iterator[T]) => Iterator[U],
    state: StatefulOperatorStateInfo,
    keySchema: StructType,
    valueSchema: StructType,
    encoder: KeyStateEncoderSpec,
    @transient session: SparkSession,
    storeConf: StateStoreConf
) extends RDD[U](rows) {

  private val hadoopConf = HadoopConfs.broadcast(session)

  override protected def getPartitions: Array[Partition] = rows.partitions

  private def provider(partition: Partition) = StateStoreProviderId(
    StateStoreId(state.checkpointLocation, state.operatorId, partition.index),
    state.queryRunId
  )

  /** Where the store is loaded. */
  override protected def getPreferredLocations(partition: Partition): Seq[String] =
    session.streams.stateStoreCoordinator.getLocation(provider(partition)).toSeq

  override def compute(partition: Partition, task: TaskContext): Iterator[U] = {
    val in = rows.iterator(partition, task)
    StoreOfTask.forget()
    val store = StateStore.get(
      provider(partition),
      keySchema,
      valueSchema,
      encoder,
      state.storeVersion,
      state.stateStoreCkptIds.map(_.apply(partition.index).head),
      state.stateSchemaMetadata,
      useColumnFamilies = false,
      storeConf,
      hadoopConf.value.value
    )
    // What is added last runs first.
    StoreOfTask.unloadAtEnd(task, provider(partition), storeConf)
    val _ = task.addTaskCompletionListener[Unit](_ => if (!store.hasCommitted) store.abort())
    update(store, in)
  }
}

/** The configurations of Hadoop as tasks have them, sent again only when they have changed. */
private object HadoopConfs {
  private final case class Sent(
      entries: Map[String, String],
      conf: Broadcast[SerializableConfiguration]
  )

  private val sent = new WeakHashMap[SparkSession, Sent]

  def broadcast(session: SparkSession): Broadcast[SerializableConfiguration] = synchronized {
    val conf = session.sessionState.newHadoopConf()
    val entries = conf.asScala.map(e => e.getKey -> e.getValue).toMap
    val last = Option(sent.get(session)).filter(_.entries == entries).getOrElse {
      Sent(entries, session.sparkContext.broadcast(new SerializableConfiguration(conf)))
    }
    sent.put(session, last)
    last.conf
  }
}

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
