package tidegate.files

import java.net.URI

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{ChecksumFs, DelegateToFileSystem}

/**
 * Local files for checkpoints, without child processes: Hadoop starts some of them in every batch
 * if its native library is missing, which it is in most places. Files, checksums and permissions
 * are those of Hadoop's own class, so a checkpoint may go from one to the other.
 *
 * Example: `spark.hadoop.fs.AbstractFileSystem.file.impl=tidegate.files.LocalFiles`. In Python,
 * `tidegate.configure` sets this.
 */
final class LocalFiles(uri: URI, conf: Configuration)
    extends ChecksumFs(new RawLocalFiles(uri, conf))

private final class RawLocalFiles(uri: URI, conf: Configuration)
    extends DelegateToFileSystem(uri, new InProcessFileSystem, conf, uri.getScheme, false) {

  /** Local files have no server, so no port. */
  override def getUriDefaultPort: Int = -1

  /** The local file system refuses invalid names by itself. */
  override def isValidName(name: String): Boolean = true
}
