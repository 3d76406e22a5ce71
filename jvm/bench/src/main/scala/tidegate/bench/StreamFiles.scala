package tidegate.bench

import java.nio.file.{Files, Path}

import org.apache.commons.io.FileUtils

/** Files that a stream reads one after the other. */
private[bench] object StreamFiles {
  private val FirstMs = 1700000000000L

  /**
   * Moves the Parquet files that tasks have written to `parts` into `folder`, in the order of the
   * tasks and with ascending modification times. The folder appears only when it is complete.
   */
  def collect(parts: Path, folder: Path): Unit = {
    val unfinished = folder.resolveSibling(s"${folder.getFileName}.tmp")
    FileUtils.deleteDirectory(unfinished.toFile)
    Files.createDirectories(unfinished)
    val files = parts.toFile.listFiles().filter(_.getName.endsWith(".parquet")).sortBy(_.getName)
    files.zipWithIndex.foreach { case (file, i) =>
      val target = unfinished.resolve(f"$i%04d.parquet")
      FileUtils.moveFile(file, target.toFile)
      target.toFile.setLastModified(FirstMs + i * 1000L)
    }
    Files.move(unfinished, folder)
    FileUtils.deleteDirectory(parts.toFile)
  }
}
