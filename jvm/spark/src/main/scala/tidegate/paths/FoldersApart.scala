package tidegate.paths

import java.io.File

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import tidegate.errors.PathErrors

/** A folder that is filled must not be, have or be in the folder from which is copied. */
private[tidegate] object FoldersApart {

  /**
   * @param argument
   *   the name of the argument with the target
   * @throws AnalysisException
   *   if one of the folders is the other, or is in it
   */
  def check(
      call: String,
      source: String,
      argument: String,
      target: String,
      conf: Configuration
  ): Unit = {
    val (from, to) = (steps(source, conf), steps(target, conf))
    val found =
      if (from == to) Some("is the same folder as")
      else if (to.startsWith(from)) Some("is in the folder")
      else if (from.startsWith(to)) Some("contains the folder")
      else None
    found.foreach(how => throw PathErrors.notApart(call, argument, target, how, source))
  }

  /** The file system, and the names on the way; of a local folder, after all links. */
  private def steps(location: String, conf: Configuration): Seq[String] = {
    val path = new Path(location)
    val files = path.getFileSystem(conf)
    val full = files.makeQualified(path).toUri
    val way =
      if (RelativePath.isLocal(files)) new File(full.getPath).getCanonicalPath else full.getPath
    s"${full.getScheme}://${full.getAuthority}" +: way.split('/').filter(_.nonEmpty).toSeq
  }
}
