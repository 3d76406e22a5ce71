package tidegate
package golden

import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.attribute.FileTime
import java.nio.file.{Files, Path, Paths}
import java.util.zip.{ZipEntry, ZipInputStream, ZipOutputStream}

import scala.jdk.CollectionConverters._
import scala.util.Using

/** The files of one version: of each query, a checkpoint and what the rest of the input gives. */
final class GoldenFolder(val path: Path) {

  def name: String = path.getFileName.toString

  /** The names of the queries. */
  def queries: Seq[String] = GoldenFolder.listed(path).collect { case s"$name.zip" => name }

  def has(query: String): Boolean = Files.exists(zip(query))

  def expected(query: String): String = Files.readString(expectedFile(query))

  def unpack(query: String): Path = {
    val checkpoint = TempFolders.create("golden")
    Using.resource(new ZipInputStream(Files.newInputStream(zip(query)))) { in =>
      Iterator.continually(in.getNextEntry).takeWhile(_ != null).foreach { entry =>
        val file = checkpoint.resolve(entry.getName)
        Files.createDirectories(file.getParent)
        Files.write(file, replaced(in.readAllBytes(), GoldenFolder.Place, checkpoint.toString))
      }
    }
    checkpoint
  }

  def write(query: String, checkpoint: Path, expected: String): Unit = {
    Files.createDirectories(path)
    Files.writeString(expectedFile(query), expected)
    Using.resource(new ZipOutputStream(Files.newOutputStream(zip(query)))) { out =>
      GoldenFolder.files(checkpoint).foreach { file =>
        val entry = new ZipEntry(checkpoint.relativize(file).toString)
        // Else the same checkpoint is another file each time.
        entry.setLastModifiedTime(FileTime.fromMillis(0))
        out.putNextEntry(entry)
        out.write(replaced(Files.readAllBytes(file), checkpoint.toString, GoldenFolder.Place))
      }
    }
  }

  /** Spark's metadata of some operators has the absolute path of the checkpoint. */
  private def replaced(bytes: Array[Byte], from: String, to: String): Array[Byte] =
    new String(bytes, ISO_8859_1).replace(from, to).getBytes(ISO_8859_1)

  private def zip(query: String): Path = path.resolve(s"$query.zip")

  private def expectedFile(query: String): Path = path.resolve(s"$query.txt")
}

object GoldenFolder {
  private val Place = "@checkpoint@"

  val root: Path = Paths.get(sys.props("tidegate.golden"))

  /** The folder that is to be written; none in a test. */
  val written: Option[GoldenFolder] = sys.props.get("tidegate.golden.write").map(of)

  /** Those of all versions, in their order. */
  def all: Seq[GoldenFolder] = listed(root).filter(_.head.isDigit).map(of)

  /** The one in the formats of today. */
  def latest: Option[GoldenFolder] = all.lastOption

  private def of(version: String): GoldenFolder = new GoldenFolder(root.resolve(version))

  private def listed(folder: Path): Seq[String] =
    if (Files.isDirectory(folder)) Using.resource(Files.list(folder)) { files =>
      files.iterator.asScala.map(_.getFileName.toString).toVector.sorted
    }
    else Nil

  /** All but checksums, which nobody needs to read a file. */
  private def files(folder: Path): Seq[Path] = Using.resource(Files.walk(folder)) { paths =>
    paths.iterator.asScala
      .filter(Files.isRegularFile(_))
      .filterNot(_.toString.endsWith(".crc"))
      .toVector
      .sorted
  }
}
