package org.apache.spark.sql.tidegate

import java.util.concurrent.atomic.LongAdder

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.types.StructType
import org.apache.spark.util.SizeEstimator

/**
 * Spark's state store in memory, without the copy of all rows that Spark makes for each batch. A
 * version shares with the one before what has not changed. All else is Spark's: the files, which
 * either of the two reads, and how many versions stay in memory.
 */
abstract class SharingVersions extends HDFSBackedStateStoreProvider {
  private val hits = new LongAdder
  @volatile private var prefix: Option[SharingMap.Prefix] = None

  override def init(
      stateStoreId: StateStoreId,
      keySchema: StructType,
      valueSchema: StructType,
      keyStateEncoderSpec: KeyStateEncoderSpec,
      useColumnFamilies: Boolean,
      storeConf: StateStoreConf,
      hadoopConf: Configuration,
      useMultipleValuesPerKey: Boolean,
      stateSchemaProvider: Option[StateSchemaProvider]
  ): Unit = {
    super.init(
      stateStoreId,
      keySchema,
      valueSchema,
      keyStateEncoderSpec,
      useColumnFamilies,
      storeConf,
      hadoopConf,
      useMultipleValuesPerKey,
      stateSchemaProvider
    )
    prefix = Some(keyStateEncoderSpec).collect { case PrefixKeyScanStateEncoderSpec(_, columns) =>
      SharingMap.Prefix(keySchema, columns)
    }
  }

  /**
   * A map for the version after `version`. None if `version` is not in memory: then Spark reads the
   * files, and the version after that shares with what Spark has read.
   */
  protected def nextOf(version: Long): Option[SharingMap] =
    if (version == 0) Some(SharingMap.empty(prefix))
    else
      Option(LoadedMaps.of(this).get(version)).map { map =>
        hits.increment()
        map match {
          case sharing: SharingMap => sharing.next
          case other               => SharingMap.of(other, prefix)
        }
      }

  override def getMetricsForProvider(): Map[String, Long] = {
    val ofSpark = super.getMetricsForProvider()
    val maps = LoadedMaps.of(this).values.asScala.toSeq.reverse
    // From the oldest version on, each one adds what it does not share with the one before.
    val bytes = maps.zipWithIndex.map {
      case (sharing: SharingMap, i) if i > 0 => sharing.ownBytes
      case (map, _)                          => SizeEstimator.estimate(map)
    }
    val found = ofSpark.getOrElse(SharingVersions.Hits, 0L) + hits.sum
    ofSpark + (SharingVersions.MemoryUsed -> bytes.sum) + (SharingVersions.Hits -> found)
  }
}

private object SharingVersions {

  /** Spark's names of these figures. */
  private val MemoryUsed = "memoryUsedBytes"
  private val Hits = "loadedMapCacheHitCount"
}
