package tidegate

import java.io.File
import java.nio.charset.Charset
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path, StandardCopyOption}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.tidegate.OffsetEntries
import tidegate.clock.ClockOffset

/** What checkpoints say, and checkpoints as a kill would leave them. */
object Checkpoints {
  private val LogOffset = """.*"logOffset":(\d+).*""".r

  /** What the offset log says of every batch. */
  def log(spark: SparkSession, checkpoint: Path): Seq[LoggedBatch] = {
    val offsets = new HadoopPath(checkpoint.resolve("offsets").toString)
    OffsetEntries.read(spark, offsets).map { case (id, entry) =>
      val texts = (0 until entry.size).flatMap(i => entry.offsets.get(i.toString))
      val (clocks, data) = texts.partition(_.contains("tidegateClock"))
      val marks = clocks.headOption.map(ClockOffset.parse(_).state.operators).getOrElse(Map.empty)
      LoggedBatch(
        id,
        data.collect { case LogOffset(n) => n.toLong },
        marks.map { case (name, mark) => name -> (mark.watermarkMs, mark.evictionMs) }
      )
    }
  }

  /**
   * A copy of a checkpoint as it was between two moments of a run.
   *
   * @param offsets
   *   the last batch in the offset log
   * @param commits
   *   the last batch in the commit log; one less than `offsets`: killed in the batch
   * @param sourceLogs
   *   the last entry in the log of each file source
   */
  def cut(checkpoint: Path, offsets: Long, commits: Long, sourceLogs: Seq[Long]): Path = {
    val copy = TempFolders.create("cut")
    Files.walk(checkpoint).iterator().asScala.foreach { from =>
      val to = copy.resolve(checkpoint.relativize(from).toString)
      if (Files.isDirectory(from)) Files.createDirectories(to)
      else Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING)
    }
    keepOffsets(copy, offsets, sourceLogs)
    keepCommits(copy, commits)
    copy
  }

  /** Takes all commits after `last` away. */
  def keepCommits(checkpoint: Path, last: Long): Unit = keep(checkpoint.resolve("commits"), last)

  /** Takes the commit of the last batch away, as if the query was killed before it. */
  def removeLastCommit(checkpoint: Path): Unit = {
    val commits = checkpoint.resolve("commits")
    keep(commits, commits.toFile.listFiles().toSeq.flatMap(number).max - 1)
  }

  /** Takes the names of the operators away, which Spark 3 did not write. */
  def removeOperatorNames(checkpoint: Path): Unit =
    for {
      operator <- checkpoint.resolve("state").toFile.listFiles()
      file <- operator.toPath.resolve("_metadata").toFile.listFiles()
      if file.getName.contains("metadata")
    } file.delete()

  /** The names and texts of the files in the offset log. */
  def offsetTexts(checkpoint: Path): Map[String, String] = {
    val files = Option(checkpoint.resolve("offsets").toFile.listFiles()).toSeq.flatten
    files.filter(number(_).isDefined).map(f => f.getName -> Files.readString(f.toPath)).toMap
  }

  /** Takes all offsets after `last` away. */
  def keepOffsets(checkpoint: Path, last: Long, sourceLogs: Seq[Long]): Unit = {
    keep(checkpoint.resolve("offsets"), last)
    sourceLogs.zipWithIndex.foreach { case (n, i) => keep(checkpoint.resolve(s"sources/$i"), n) }
  }

  private def keep(log: Path, last: Long): Unit =
    Option(log.toFile.listFiles()).toSeq.flatten.foreach { file =>
      if (number(file).exists(_ > last)) {
        file.delete()
        new File(file.getParentFile, s".${file.getName}.crc").delete()
      }
    }

  private def number(file: File): Option[Long] =
    file.getName.split('.').headOption.flatMap(_.toLongOption)

  /** Changes a log entry by hand. */
  def edit(file: Path, charset: Charset = UTF_8)(change: String => String): Unit = {
    val text = Files.readString(file, charset)
    val changed = change(text)
    require(changed != text, s"nothing to change in $text")
    Files.writeString(file, changed, charset)
    new File(file.getParent.toFile, s".${file.getFileName}.crc").delete()
  }
}
