package tidegate.snapshot

import java.time.Instant

import org.json4s.JsonAST.{JBool, JInt, JObject, JString}
import org.json4s.jackson.JsonMethods.compact

/**
 * What a folder of snapshots has.
 *
 * @param path
 *   the folder of the snapshot
 * @param query
 *   the name of the query, or else its id
 * @param batchId
 *   the last batch that the query had committed
 * @param exportedAt
 *   when the export began
 * @param isComplete
 *   whether the export ended; if not, everything but the path is empty
 */
final case class SnapshotInfo(
    path: String,
    query: String,
    batchId: Long,
    exportedAt: Instant,
    files: Int,
    bytes: Long,
    isComplete: Boolean
) {

  private[tidegate] def json: JObject = JObject(
    "path" -> JString(path),
    "query" -> JString(query),
    "batch" -> JInt(batchId),
    "exportedAt" -> JInt(exportedAt.toEpochMilli),
    "files" -> JInt(files),
    "bytes" -> JInt(bytes),
    "isComplete" -> JBool(isComplete)
  )

  private[tidegate] def text: String = compact(json)
}

private[tidegate] object SnapshotInfo {

  private[snapshot] def of(folder: SnapshotFolder): SnapshotInfo =
    if (folder.isCutOff)
      SnapshotInfo(folder.location, "", -1L, Instant.EPOCH, 0, 0L, isComplete = false)
    else {
      val m = folder.manifest
      SnapshotInfo(
        folder.location,
        m.query,
        m.batchId,
        Instant.ofEpochMilli(m.exportedAtMs),
        m.files.size,
        m.bytes,
        isComplete = true
      )
    }
}
