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
  @volatile private var shape: SharingMap.Shape = _
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
    val prefixColumns = keyStateEncoderSpec match {
      case PrefixKeyScanStateEncoderSpec(_, columns) => columns
      case _                                         => 0
    }
    shape = SharingMap.Shape(keySchema.size, valueSchema.size, prefixColumns)
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
   * A map for the version after `version`. If `version` is not in memory, Spark reads the files,
   * and the rows are taken over.
   */
  protected def mapAfter(version: Long): SharingMap = {
    val inMemory = if (version > 0) Option(LoadedMaps.of(this).get(version)) else None
    isFromMemory = version == 0 || inMemory.isDefined
    inMemory match {
      case Some(map) =>
        hits.increment()
        map match {
          case sharing: SharingMap => sharing.next
          case other               => SharingMap.of(other.iterator(), shape)
        }
      case None if version == 0 => SharingMap.empty(shape)
      case None                 =>
        val copy = getReadStore(version, None)
        // What Spark has read, if it stays in memory: then its copy is free at once.
        val read = Option(LoadedMaps.of(this).get(version)).map(_.iterator())
        SharingMap.of(
          read.getOrElse(copy.iterator(StateStore.DEFAULT_COL_FAMILY_NAME)),
          shape
        )
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
    // From the oldest version on, each one adds what it does not share with the one before.
    val maps = LoadedMaps.of(this).values.asScala.toSeq.reverse
    val (sharing, sparks) = maps.partition(_.isInstanceOf[SharingMap])
    val own = sharing.collect { case map: SharingMap => map }
    own.headOption.fold(0L)(_.estimatedSize) + own.drop(1).map(_.ownBytes).sum +
      (if (sparks.isEmpty) 0L else SizeEstimator.estimate(sparks.toArray[AnyRef]))
  }
}

private object SharingVersions {

  /** Spark's names of these figures. */
  private val MemoryUsed = "memoryUsedBytes"
  private val Hits = "loadedMapCacheHitCount"
  private val Repaired = "numSnapshotsAutoRepaired"
}
