package tidegate

import java.net.URI

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.fs.{
  DelegateToFileSystem,
  FileStatus,
  LocalFileSystem,
  Path,
  RawLocalFileSystem
}

/**
 * Local files without permissions. Hadoop without its native library starts a process for every
 * file whose permissions it sets or asks for, which takes most of the time of a small batch.
 */
final class DirectFileSystem extends RawLocalFileSystem {
  override def setPermission(path: Path, permission: FsPermission): Unit = ()

  override def getFileStatus(path: Path): FileStatus = plain(super.getFileStatus(path))

  override def getFileLinkStatus(path: Path): FileStatus = getFileStatus(path)

  override def listStatus(path: Path): Array[FileStatus] = super.listStatus(path).map(plain)

  private def plain(s: FileStatus): FileStatus =
    new FileStatus(s.getLen, s.isDirectory, 1, s.getBlockSize, s.getModificationTime, s.getPath)
}

/** As Spark's RocksDB store wants it. */
final class DirectLocalFileSystem extends LocalFileSystem(new DirectFileSystem)

/** The same for Hadoop's other interface to files. */
final class DirectFiles(uri: URI, conf: Configuration)
    extends DelegateToFileSystem(uri, new DirectFileSystem, conf, "file", false)

object DirectFiles {

  /** For a session: its queries use these files. */
  val settings: Seq[(String, String)] = Seq(
    "fs.AbstractFileSystem.file.impl" -> classOf[DirectFiles].getName,
    "fs.file.impl" -> classOf[DirectLocalFileSystem].getName,
    "fs.file.impl.disable.cache" -> "true"
  )
}
