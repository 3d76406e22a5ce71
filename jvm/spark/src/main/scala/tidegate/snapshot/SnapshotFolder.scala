package tidegate.snapshot

import java.io.IOException

import scala.util.control.NonFatal

import org.apache.hadoop.fs.{ChecksumFileSystem, FileStatus, Path}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.tidegate.{CheckpointFileManager, SparkInternals}
import tidegate.clock.SnapshotMarks
import tidegate.errors.{PathErrors, SnapshotErrors}
import tidegate.paths.{LeftBehind, RelativePath}

/** A folder that is a snapshot, or is to become one. */
private[snapshot] final class SnapshotFolder(val location: String, session: SparkSession)
    extends Logging {
  import SnapshotFolder._

  val root = new Path(location)
  private val conf = SparkInternals.hadoopConf(session)
  private val files = root.getFileSystem(conf)
  private val manifestFile = new Path(root, SnapshotMarks.Manifest)
  private val begunFile = new Path(root, SnapshotMarks.Begun)

  def isComplete: Boolean = files.exists(manifestFile)

  def isCutOff: Boolean = !isComplete && files.exists(begunFile)

  /** @throws AnalysisException if the folder is no complete snapshot that this version can read */
  lazy val manifest: Manifest =
    if (isComplete) {
      val in = files.open(manifestFile)
      val text =
        try new String(in.readAllBytes(), "UTF-8")
        finally in.close()
      Manifest.read(text) match {
        case Right(manifest) =>
          val outside = manifest.files.map(_.path).filter(RelativePath.leaves)
          if (outside.nonEmpty) throw PathErrors.leaves(location, outside)
          manifest
        case Left(Manifest.Newer(format)) =>
          throw SnapshotErrors.newer(location, format, Manifest.Format)
        case Left(Manifest.Changed) =>
          throw SnapshotErrors.changed(location, Seq(s"${SnapshotMarks.Manifest} was changed"))
      }
    } else if (isCutOff) throw SnapshotErrors.cutOff(location)
    else throw SnapshotErrors.noSnapshot(location)

  /** The manifest, if no file is found behind a symbolic link, which may lead anywhere. */
  lazy val checked: Manifest = {
    val links = if (isComplete) RelativePath.linksIn(root, files) else Nil
    if (links.nonEmpty) throw PathErrors.leaves(location, links.map(l => s"$l (a symbolic link)"))
    manifest
  }

  /**
   * Reads every file.
   *
   * @throws AnalysisException
   *   if a file is missing, was added, or is not as it was
   */
  def verify(): Manifest = {
    // First, because a folder that is not there has no files to look for either.
    val listed = checked.files.map(_.path).toSet
    val found = below(root).map(f => relative(f.getPath)).toSet -- Marks
    val added = (found -- listed).toSeq.sorted.map(path => s"$path was added")
    val wrong = manifest.files.flatMap(changeOf) ++ added
    if (wrong.nonEmpty) throw SnapshotErrors.changed(location, wrong)
    manifest
  }

  /** What is wrong with a file, if anything is. */
  private def changeOf(file: SnapshotFile): Option[String] =
    FileCopies.current(files, root, file.path) match {
      case None                                 => Some(s"${file.path} is missing")
      case Some(now) if now.bytes != file.bytes =>
        Some(s"${file.path} has ${now.bytes} bytes in place of ${file.bytes}")
      case Some(now) if now != file => Some(s"${file.path} was changed")
      case _                        => None
    }

  private def below(folder: Path): Seq[FileStatus] =
    files.listStatus(folder).toSeq.filterNot(_.getPath.getName.startsWith(".")).flatMap { status =>
      if (status.isFile) Seq(status) else below(status.getPath)
    }

  private def relative(path: Path): String =
    files.makeQualified(root).toUri.relativize(path.toUri).getPath

  /**
   * Fills the folder, which must not exist or be empty. What was written is deleted if that fails.
   *
   * @throws AnalysisException
   *   if there are files, or if none can be written
   */
  def fill(body: => Unit): Unit = {
    val isNew = !files.exists(root)
    if (!isNew && (files.getFileStatus(root).isFile || files.listStatus(root).nonEmpty))
      throw SnapshotErrors.pathExists(location)
    try {
      NotWritten.orElse(files.create(begunFile, false).close())
      body
      val _ = NotWritten.orElse(files.delete(begunFile, false))
    } catch {
      case e: Throwable =>
        attempt(if (isNew) files.delete(root, true) else delete(files.listStatus(root).toSeq))
        throw asNotWritable(e)
    }
  }

  /**
   * Adds files to a complete snapshot, and replaces its manifest when all of them are there. What
   * was added is deleted if that fails, and the snapshot is as it was.
   */
  def add(paths: Seq[String])(body: => Manifest): Unit =
    try {
      val changed = body
      val wrong = changed.files.filter(f => paths.contains(f.path)).flatMap(changeOf)
      if (wrong.nonEmpty) throw SnapshotErrors.changed(location, wrong)
      NotWritten.orElse(replace(changed))
    } catch {
      case e: Throwable =>
        paths.foreach(path => attempt(files.delete(new Path(root, path), false)))
        throw e
    }

  private def asNotWritable(failure: Throwable): Throwable = failure match {
    case e: NotWritten =>
      SnapshotErrors.notWritable(location, e.getCause, LeftBehind.in(root, conf))
    case other => other
  }

  private def delete(all: Seq[FileStatus]): Unit =
    all.foreach(f => files.delete(f.getPath, true))

  /** Clears up after a failure, which is what has to be told. */
  private def attempt(step: => Any): Unit =
    try { val _ = step }
    catch { case NonFatal(e) => logWarning(s"What was written to $location stays.", e) }

  /** Deletes what an earlier attempt has copied and this one does not need. */
  def deleteAllBut(kept: Set[String]): Unit =
    below(root)
      .filterNot(f => kept(relative(f.getPath)) || f.getPath == files.makeQualified(begunFile))
      .foreach { f =>
        files.delete(f.getPath, false)
      }

  def write(manifest: Manifest): Unit = NotWritten.orElse {
    val hidden = new Path(root, s".${SnapshotMarks.Manifest}")
    val out = files.create(hidden, true)
    try out.write(manifest.text.getBytes("UTF-8"))
    finally out.close()
    if (!files.rename(hidden, manifestFile))
      throw new IOException(s"$hidden was not renamed to $manifestFile")
  }

  /** In one step, where the file system has such a step. */
  private def replace(manifest: Manifest): Unit = files match {
    // Spark's way leaves the checksum of the former file.
    case _: ChecksumFileSystem => write(manifest)
    case _                     =>
      val out = CheckpointFileManager.create(root, conf).createAtomic(manifestFile, true)
      try {
        out.write(manifest.text.getBytes("UTF-8"))
        out.close()
      } catch {
        case e: Throwable =>
          out.cancel()
          throw e
      }
  }

  def delete(): Unit = {
    val _ = files.delete(root, true)
  }
}

private object SnapshotFolder {
  private val Marks = Set(SnapshotMarks.Manifest, SnapshotMarks.Begun)
}
