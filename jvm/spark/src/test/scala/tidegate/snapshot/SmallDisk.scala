package tidegate.snapshot

import java.io.{FilterOutputStream, IOException}
import java.net.URI
import java.util.concurrent.atomic.AtomicLong

import org.apache.hadoop.fs.{FSDataOutputStream, Path, RawLocalFileSystem}
import org.apache.hadoop.util.Progressable

/** Local files on a disk that becomes full, under a scheme of its own. */
final class SmallDisk extends RawLocalFileSystem {
  override def getUri: URI = URI.create("small:///")
  override def getScheme: String = "small"

  override def create(
      file: Path,
      overwrite: Boolean,
      bufferSize: Int,
      replication: Short,
      blockSize: Long,
      progress: Progressable
  ): FSDataOutputStream = {
    val out = super.create(file, overwrite, bufferSize, replication, blockSize, progress)
    val bounded = new FilterOutputStream(out) {
      override def write(b: Int): Unit = write(Array(b.toByte), 0, 1)
      override def write(bytes: Array[Byte], from: Int, length: Int): Unit = {
        if (SmallDisk.room.addAndGet(-length.toLong) < 0)
          throw new IOException("No space left on device")
        this.out.write(bytes, from, length)
      }
    }
    new FSDataOutputStream(bounded, null)
  }
}

object SmallDisk {

  /** How many bytes can still be written. */
  val room = new AtomicLong

  val Conf: (String, String) = "fs.small.impl" -> classOf[SmallDisk].getName
}
