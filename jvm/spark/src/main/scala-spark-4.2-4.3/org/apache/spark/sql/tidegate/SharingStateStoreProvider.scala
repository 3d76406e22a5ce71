package org.apache.spark.sql.tidegate

import org.apache.spark.sql.execution.streaming.state.StateStore

/** Spark's state store in memory, with versions that share what has not changed. */
final class SharingStateStoreProvider extends SharingVersions {

  override def getStore(
      version: Long,
      uniqueId: Option[String],
      forceSnapshotOnCommit: Boolean,
      loadEmpty: Boolean
  ): StateStore =
    if (uniqueId.isEmpty && !loadEmpty)
      new HDFSBackedStateStore(version, mapAfter(version), forceSnapshotOnCommit)
    else super.getStore(version, uniqueId, forceSnapshotOnCommit, loadEmpty)
}
