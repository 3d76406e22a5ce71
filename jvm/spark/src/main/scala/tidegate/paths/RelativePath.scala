package tidegate.paths

import java.nio.file.{Files, Paths}

import org.apache.hadoop.fs.{FileSystem, Path}

/** Paths that come out of a file, and have to stay below the folder of that file. */
private[tidegate] object RelativePath {

  /** Whether a path may lead out of the folder to which it is relative. */
  def leaves(path: String): Boolean = {
    val steps = path.split("/", -1).toSeq
    // An empty first step is a root; a colon there is a scheme or a drive.
    steps.exists(Outside) || steps.head.contains(':') || path.exists(c => c == '\\' || c == 0)
  }

  private val Outside = Set("", ".", "..")

  /** The symbolic links below a folder, relative to it; what they lead to is not looked at. */
  def linksIn(root: Path, files: FileSystem): Seq[String] =
    if (!hasLinks(files)) Nil
    else {
      def below(folder: Path): Seq[Path] = files.listStatus(folder).toSeq.flatMap { status =>
        val path = status.getPath
        if (isLink(path, files)) Seq(path) else if (status.isFile) Nil else below(path)
      }
      val from = files.makeQualified(root).toUri
      below(root).map(path => from.relativize(path.toUri).getPath)
    }

  /** A store of objects has none, and each question would cost. */
  private def hasLinks(files: FileSystem): Boolean = isLocal(files) || files.supportsSymlinks

  /** Hadoop's own way may start a process for each file. */
  private def isLink(path: Path, files: FileSystem): Boolean =
    if (isLocal(files)) Files.isSymbolicLink(Paths.get(path.toUri.getPath))
    else files.getFileLinkStatus(path).isSymlink

  private[paths] def isLocal(files: FileSystem): Boolean = files.getUri.getScheme == "file"
}
