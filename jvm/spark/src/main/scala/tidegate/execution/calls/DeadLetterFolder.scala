package tidegate.execution.calls

import java.util.UUID

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import tidegate.execution.QueryFiles

/**
 * The folder to which dead letters go. Each run of a node has files of its own: of two nodes in a
 * query, and of two queries, none takes the place of the other's.
 *
 * @param ofBatch
 *   the files of a batch of a stream, which are written anew if the batch is run again; none in a
 *   query on batch data, which has no id by which its next run could know them
 */
private[tidegate] final case class DeadLetterFolder(path: String, ofBatch: Option[QueryFiles]) {

  /** Begins a run of a node, on the driver; gives the files of its partitions, without an end. */
  def begin(conf: Configuration): Int => Path = {
    ofBatch.foreach(_.removeLeftovers(conf))
    val run = UUID.randomUUID()
    partition => {
      val end = f"$run-$partition%05d"
      ofBatch.fold(new Path(path, s"${DeadLetterFolder.Name}-$end"))(_.file(end))
    }
  }
}

private[tidegate] object DeadLetterFolder {

  /** How the names of the files begin. */
  val Name = "letters"
}
