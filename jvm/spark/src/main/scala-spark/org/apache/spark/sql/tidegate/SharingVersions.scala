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
  import SharingVersions._

  private val hits = new LongAdder
  @volatile private var prefixColumns = 0
  @volatile private var isFromMemory = false

  /** Spark's maps have no need of prefixes: they only hold what was read from files. */
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
    prefixColumns = keyStateEncoderSpec match {
      case PrefixKeyScanStateEncoderSpec(_, columns) => columns
      case _                                         => 0
    }
    super.init(
      stateStoreId,
      keySchema,
      valueSchema,
      NoPrefixKeyStateEncoderSpec(keySchema),
      useColumnFamilies,
      storeConf,
      hadoopConf,
      useMultipleValuesPerKey,
      stateSchemaProvider
    )
  }

  /**
   * A map for the version after `version`. None if `version` is not in memory: then Spark reads the
   * files, and the version after that shares with what Spark has read. Where rows are found by
   * prefixes, which Spark's maps do not do here, this version shares with it.
   */
  protected def nextOf(version: Long): Option[SharingMap] = {
    val inMemory = if (version > 0) Option(LoadedMaps.of(this).get(version)) else None
    isFromMemory = version == 0 || inMemory.isDefined
    inMemory match {
      case Some(map) =>
        hits.increment()
        map match {
          case sharing: SharingMap => Some(sharing.next)
          case other               => Some(SharingMap.of(other.iterator(), prefixColumns))
        }
      case None if version == 0      => Some(SharingMap.empty(prefixColumns))
      case None if prefixColumns > 0 =>
        val read = getReadStore(version, None).iterator(StateStore.DEFAULT_COL_FAMILY_NAME)
        Some(SharingMap.of(read, prefixColumns))
      case None => None
    }
  }

  override def getMetricsForProvider(): Map[String, Long] = {
    val ofSpark = super.getMetricsForProvider()
    val found = ofSpark.getOrElse(Hits, 0L) + hits.sum
    val figures = ofSpark + (MemoryUsed -> memoryUsed) + (Hits -> found)
    // Spark sets the figure back when it reads files.
    if (isFromMemory && figures.contains(Repaired)) figures + (Repaired -> 0L) else figures
  }

  private def memoryUsed: Long = {
    val maps = LoadedMaps.of(this).values.asScala.toSeq.reverse
    // From the oldest version on, each one adds what it does not share with the one before.
    val sharing = maps.zipWithIndex.collect { case (map: SharingMap, i) =>
      if (i > 0) map.ownBytes else map.estimatedSize
    }
    // Spark's maps have the same rows, which are counted once.
    val others = maps.filterNot(_.isInstanceOf[SharingMap])
    sharing.sum + (if (others.isEmpty) 0L else SizeEstimator.estimate(others.toArray[AnyRef]))
  }
}

private object SharingVersions {

  /** Spark's names of these figures. */
  private val MemoryUsed = "memoryUsedBytes"
  private val Hits = "loadedMapCacheHitCount"
  private val Repaired = "numSnapshotsAutoRepaired"
}
