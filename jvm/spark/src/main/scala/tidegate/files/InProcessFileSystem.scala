package tidegate.files

import java.io.FileNotFoundException
import java.nio.file.attribute.PosixFileAttributes
import java.nio.file.{Files, LinkOption, NoSuchFileException, Path => LocalPath}

import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.fs.{FileStatus, Path, RawLocalFileSystem}
import org.apache.hadoop.io.nativeio.NativeIO
import org.apache.hadoop.util.Shell

/**
 * Hadoop's local files. Without its native library, Hadoop starts a process of the system for each
 * permission that it sets or reads, and for each link that it looks for; here the JVM does that.
 */
private[files] final class InProcessFileSystem extends RawLocalFileSystem {

  private def isLeftToHadoop: Boolean = NativeIO.isAvailable || Shell.WINDOWS

  override def setPermission(path: Path, permission: FsPermission): Unit =
    if (isLeftToHadoop) super.setPermission(path, permission)
    else {
      val file = local(path)
      // Of a folder, `chmod` keeps them too: new files below get the group of the folder.
      val kept =
        if (Files.isDirectory(file)) modeOf(file) & InProcessFileSystem.SetIdBits else 0
      val _ = Files.setAttribute(file, "unix:mode", permission.toShort.toInt | kept)
    }

  override def getFileStatus(path: Path): FileStatus = {
    val status = super.getFileStatus(path)
    if (isLeftToHadoop) status else withPermission(status)
  }

  override def getFileLinkStatus(path: Path): FileStatus =
    if (isLeftToHadoop || Files.isSymbolicLink(local(path))) super.getFileLinkStatus(path)
    else getFileStatus(path)

  private def local(path: Path): LocalPath = pathToFile(path).toPath

  private def modeOf(file: LocalPath): Int =
    Files.getAttribute(file, "unix:mode").asInstanceOf[Int]

  /** Hadoop's own status starts a process when someone asks for the owner or the permission. */
  private def withPermission(of: FileStatus): FileStatus = {
    val file = local(of.getPath)
    try {
      val attributes =
        Files.readAttributes(file, classOf[PosixFileAttributes], Array.empty[LinkOption]: _*)
      new FileStatus(
        of.getLen,
        of.isDirectory,
        of.getReplication.toInt,
        of.getBlockSize,
        of.getModificationTime,
        of.getAccessTime,
        new FsPermission((modeOf(file) & InProcessFileSystem.PermissionBits).toShort),
        attributes.owner.getName,
        attributes.group.getName,
        of.getPath
      )
    } catch {
      // The file went meanwhile: Hadoop leaves it out of a list for this exception alone.
      case _: NoSuchFileException => throw new FileNotFoundException(s"File $file does not exist")
    }
  }
}

private object InProcessFileSystem {

  /** Read, write and execute for all three, and the sticky bit. */
  private val PermissionBits = 0x3ff

  /** Set-user-ID and set-group-ID. */
  private val SetIdBits = 0xc00
}
