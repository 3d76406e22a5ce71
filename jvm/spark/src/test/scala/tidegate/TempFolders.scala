package tidegate

import java.nio.file.{Files, Path}

import org.apache.commons.io.FileUtils

/** Folders of tests, in a folder of this JVM that is deleted when the JVM ends. */
object TempFolders {

  private lazy val root: Path = {
    val folder = Files.createTempDirectory("tidegate-tests")
    sys.addShutdownHook(FileUtils.deleteQuietly(folder.toFile))
    folder
  }

  /** A new folder, whose name begins with `prefix`. */
  def create(prefix: String): Path = Files.createTempDirectory(root, prefix)
}
