package tidegate.snapshot

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.tidegate.SparkInternals
import tidegate.clock.SnapshotMarks
import tidegate.errors.SnapshotErrors

/** A folder that is a snapshot, or is to become one. */
private[snapshot] final class SnapshotFolder(val location: String, session: SparkSession) {
  val root = new Path(location)
  private val files = root.getFileSystem(SparkInternals.hadoopConf(session))
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
        case Right(manifest)              => manifest
        case Left(Manifest.Newer(format)) =>
          throw SnapshotErrors.newer(location, format, Manifest.Format)
        case Left(Manifest.Changed) =>
          throw SnapshotErrors.changed(location, Seq(s"${SnapshotMarks.Manifest} was changed"))
      }
    } else if (isCutOff) throw SnapshotErrors.cutOff(location)
    else throw SnapshotErrors.noSnapshot(location)

  /**
   * Reads every file.
   *
   * @throws AnalysisException
   *   if a file is missing, was added, or is not as it was
   */
  def verify(): Manifest = {
    // First, because a folder that is not there has no files to look for either.
    val listed = manifest.files.map(_.path).toSet
    val found = below(root).map(f => relative(f.getPath)).toSet - SnapshotMarks.Manifest
    val wrong = manifest.files.flatMap { file =>
      FileCopies.current(files, root, file.path) match {
        case None                                 => Some(s"${file.path} is missing")
        case Some(now) if now.bytes != file.bytes =>
          Some(s"${file.path} has ${now.bytes} bytes in place of ${file.bytes}")
        case Some(now) if now != file => Some(s"${file.path} was changed")
        case _                        => None
      }
    }
    val added = (found -- listed).toSeq.sorted.map(path => s"$path was added")
    if (wrong.nonEmpty || added.nonEmpty) throw SnapshotErrors.changed(location, wrong ++ added)
    manifest
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
    try files.create(begunFile, false).close()
    catch { case e: java.io.IOException => throw SnapshotErrors.notWritable(location, e) }
    try body
    catch {
      case e: Throwable =>
        if (isNew) files.delete(root, true)
        else files.listStatus(root).foreach(f => files.delete(f.getPath, true))
        throw e
    }
    val _ = files.delete(begunFile, false)
  }

  /** Deletes what an earlier attempt has copied and this one does not need. */
  def deleteAllBut(kept: Set[String]): Unit =
    below(root)
      .filterNot(f => kept(relative(f.getPath)) || f.getPath == files.makeQualified(begunFile))
      .foreach { f =>
        files.delete(f.getPath, false)
      }

  def write(manifest: Manifest): Unit = {
    val text = manifest.text.getBytes("UTF-8")
    val hidden = new Path(root, s".${SnapshotMarks.Manifest}")
    val out = files.create(hidden, true)
    try out.write(text)
    finally out.close()
    if (!files.rename(hidden, manifestFile))
      throw SnapshotErrors.notWritable(
        location,
        new java.io.IOException(s"$hidden was not renamed to $manifestFile")
      )
  }

  def delete(): Unit = {
    val _ = files.delete(root, true)
  }
}
