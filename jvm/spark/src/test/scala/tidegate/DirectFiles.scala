package tidegate

import java.net.URI

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.fs.{
  DelegateToFileSystem,
  FileStatus,
  FileSystem,
  LocalFileSystem,
  Path,
  RawLocalFileSystem
}
import org.apache.hadoop.mapred.JobConf

/**
 * Local files without permissions. Hadoop without its native library starts a process for every
 * file whose permissions it sets or asks for, which takes most of the time of a small batch.
 */
final class DirectFileSystem extends RawLocalFileSystem {
  override def rename(from: Path, to: Path): Boolean = {
    DirectFiles.beforeRename(to)
    val isDone = super.rename(from, to)
    DirectFiles.afterRename(to)
    isDone
  }

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

  /**
   * May fail, for tests of faults: Spark writes all that it commits under another name, and then
   * renames the file.
   */
  @volatile var beforeRename: Path => Unit = _ => ()
  @volatile var afterRename: Path => Unit = _ => ()

  private val settings = Seq(
    "fs.AbstractFileSystem.file.impl" -> classOf[DirectFiles].getName,
    "fs.file.impl" -> classOf[DirectLocalFileSystem].getName
  )

  /**
   * Lets all queries of a session that has just started use these files. Hadoop's more than 1,000
   * defaults leave: Spark sends all of them with every operator that has state, in every batch, and
   * the code that reads them has the same defaults.
   */
  def use(hadoop: Configuration): Unit = {
    // The first use of these classes gives their defaults to all configurations.
    new JobConf()
    FileSystem.getFileSystemClass("file", hadoop)
    hadoop.clear()
    settings.foreach { case (key, value) => hadoop.set(key, value) }
  }
}
