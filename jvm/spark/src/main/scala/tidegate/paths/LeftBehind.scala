package tidegate.paths

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

/** What a call that has failed has left in the folder that it was to fill, as a sentence. */
private[tidegate] object LeftBehind {

  def in(folder: Path, conf: Configuration): String =
    try {
      val files = folder.getFileSystem(conf)
      if (files.exists(folder) && files.listStatus(folder).nonEmpty)
        s"Files were left in $folder: delete that folder."
      else s"Nothing was left in $folder."
    } catch { case NonFatal(_) => s"Whether files were left in $folder is not known." }
}
