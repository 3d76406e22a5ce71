package tidegate

import java.nio.file.StandardCopyOption.{ATOMIC_MOVE, REPLACE_EXISTING}
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.sql.{Dataset, Row}

/** A folder with a file for each batch of a query. A batch that is run again replaces its file. */
final class BatchFiles(folder: Path) {

  def write(batch: Dataset[Row], id: Long): Unit = {
    val half = folder.resolveSibling(s"half-${folder.getFileName}")
    Files.write(half, batch.collect().toSeq.map(KeyedStreamTest.text).asJava)
    Files.move(half, folder.resolve(id.toString), ATOMIC_MOVE, REPLACE_EXISTING)
    ()
  }

  /** How many batches have put out what they have. */
  def size: Int = files.size

  /** The rows of all batches as text, sorted. */
  def rows: Seq[String] = files.flatMap(Files.readAllLines(_).asScala).sorted

  private def files: Seq[Path] = Using.resource(Files.list(folder))(_.iterator.asScala.toSeq)
}
