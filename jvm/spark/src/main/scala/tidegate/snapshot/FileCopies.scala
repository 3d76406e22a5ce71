package tidegate.snapshot

import java.io.{ByteArrayInputStream, FileNotFoundException, IOException, InputStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.security.{DigestInputStream, MessageDigest}
import java.util.concurrent.{ExecutionException, Executors, TimeUnit}

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.hadoop.io.IOUtils

/** A file could not be written: the fault is the folder's, and not that of what is copied to it. */
private[snapshot] final class NotWritten(cause: Throwable) extends IOException(cause)

private[snapshot] object NotWritten {

  /** Hadoop throws local faults as `FSError`, and a full disk even as a file that is not there. */
  def orElse[T](step: => T): T =
    try step
    catch { case NonFatal(e) => throw new NotWritten(e) }
}

/** Copies files into a folder, several at a time, and computes their checksums on the way. */
private[snapshot] final class FileCopies(
    target: Path,
    hadoopConf: Configuration,
    progress: CopyProgress
) {
  import FileCopies._

  private val files = target.getFileSystem(hadoopConf)

  /**
   * @return
   *   what was written, in the order of the files
   * @throws FileNotFoundException
   *   if a file is not there any more, or has another length
   * @throws NotWritten
   *   if the folder does not take a file
   */
  def copy(wanted: Seq[FileToCopy]): Seq[SnapshotFile] = {
    progress.begin(wanted.map(_.bytes).sum)
    val threads = Executors.newFixedThreadPool(Threads)
    try {
      val copies = wanted.map(file => threads.submit(() => copy(file)))
      copies.map(_.get())
    } catch {
      case e: ExecutionException => throw e.getCause
    } finally {
      threads.shutdownNow()
      // A copy that still runs would write into the folder after it was deleted, or filled anew.
      val _ = threads.awaitTermination(Long.MaxValue, TimeUnit.NANOSECONDS)
    }
  }

  private def copy(file: FileToCopy): SnapshotFile = {
    val source = file.from.getFileSystem(hadoopConf)
    if (!file.isReplaced && source.getFileStatus(file.from).getLen != file.bytes)
      throw new FileNotFoundException(s"${file.from} is another file now")
    val in = source.open(file.from)
    try
      if (!SchemaPaths.areIn(file.target)) write(file.target, in)
      else {
        val text = new String(in.readAllBytes(), UTF_8)
        val moved = SchemaPaths.moved(text, files.makeQualified(target).toString)
        write(file.target, new ByteArrayInputStream(moved.getBytes(UTF_8)))
      }
    finally in.close()
  }

  private def write(path: String, in: InputStream): SnapshotFile = {
    val digest = MessageDigest.getInstance("SHA-256")
    val read = new DigestInputStream(in, digest)
    val out = NotWritten.orElse(files.create(new Path(target, path), true))
    val buffer = new Array[Byte](BufferBytes)
    var bytes = 0L
    try {
      var n = read.read(buffer)
      while (n >= 0) {
        NotWritten.orElse(out.write(buffer, 0, n))
        bytes += n
        progress.add(n.toLong)
        n = read.read(buffer)
      }
      // An object store may refuse only here.
      NotWritten.orElse(out.close())
    } finally IOUtils.closeStream(out)
    SnapshotFile(path, bytes, Manifest.hex(digest.digest()))
  }
}

private[snapshot] object FileCopies {
  private val Threads = 8
  private val BufferBytes = 1 << 17

  /** The file as it is now; `None` if it is not there. */
  def current(files: FileSystem, root: Path, path: String): Option[SnapshotFile] =
    try {
      val in = files.open(new Path(root, path))
      try {
        val digest = MessageDigest.getInstance("SHA-256")
        val read = new DigestInputStream(in, digest)
        val buffer = new Array[Byte](BufferBytes)
        val bytes = Iterator.continually(read.read(buffer)).takeWhile(_ >= 0).map(_.toLong).sum
        Some(SnapshotFile(path, bytes, Manifest.hex(digest.digest())))
      } finally in.close()
    } catch { case _: FileNotFoundException => None }
}
