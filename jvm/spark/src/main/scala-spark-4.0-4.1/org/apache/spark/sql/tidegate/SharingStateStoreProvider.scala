package org.apache.spark.sql.tidegate

import org.apache.spark.sql.execution.streaming.state.StateStore

/** Spark's state store in memory, with versions that share what has not changed. */
final class SharingStateStoreProvider extends SharingVersions {

  override def getStore(version: Long, uniqueId: Option[String]): StateStore =
    if (uniqueId.isEmpty) new HDFSBackedStateStore(version, mapAfter(version))
    else super.getStore(version, uniqueId)
}
