package tidegate.execution

import java.util.UUID

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils.escapePathName
import tidegate.clock.Leftovers

/**
 * The files that the tasks of a batch write into a folder, beside those of other batches and
 * queries.
 *
 * @param name
 *   of what is written, as the query knows it; the names of files begin so
 * @param queryId
 *   keeps the files of two queries apart
 * @param batch
 *   the number of the batch. Not that of a task: an application may read a batch in threads of its
 *   own, whose tasks have another number or none
 * @param leftovers
 *   of earlier runs of the query
 */
private[tidegate] final case class QueryFiles(
    path: String,
    name: String,
    queryId: UUID,
    batch: Long,
    @transient leftovers: Leftovers
) {

  def file(end: String): Path = new Path(path, f"$prefix$batch%08d-$end")

  private def prefix: String = {
    // Spark takes files for hidden whose names begin so.
    val visible = escapePathName(name).replaceFirst("^_", "%5F")
    s"$visible-${queryId.toString.take(8)}-"
  }

  /** Whether a file, also one that was only begun, is of this batch of the query or a later one. */
  private def isOfNow(name: String): Boolean = {
    val file = name.stripPrefix(".")
    file.startsWith(prefix) &&
    file.stripPrefix(prefix).takeWhile(_ != '-').toLongOption.exists(_ >= batch)
  }

  /**
   * Removes what a run of the batch has left that did not come to its end: the next run may have
   * other partitions. Files of later batches are of a checkpoint that was set back.
   *
   * To be called on the driver when the batch runs, and not when it is planned: a sink that has
   * committed the batch skips it, and then its files are all there.
   */
  def removeLeftovers(conf: Configuration): Unit = leftovers.once(s"$path/$prefix") {
    val folder = new Path(path)
    val system = folder.getFileSystem(conf)
    if (system.exists(folder)) {
      system
        .listStatus(folder)
        .map(_.getPath)
        .filter(file => isOfNow(file.getName))
        .foreach(system.delete(_, false))
    }
  }
}
