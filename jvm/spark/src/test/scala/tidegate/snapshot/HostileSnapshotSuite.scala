package tidegate
package snapshot

import java.nio.file.{Files, Path}
import java.security.MessageDigest
import java.util.zip.{ZipEntry, ZipOutputStream}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{AnalysisException, DataFrame}

/** Folders that were made by hand to read or write files elsewhere. */
class HostileSnapshotSuite extends RestartTest {

  private def counts(in: DataFrame): DataFrame = in
    .withKeyedWatermark("time", "5 seconds", substream = Seq("sub"))
    .groupBy(window(col("time"), "10 seconds"))
    .count()

  private lazy val checkpoint: Path = {
    val rows = (1 to 3).map(n => Seq(event("a", 10.0 * n), event("b", 10.0 * n - 3)))
    new Run(counts(stream(EventFiles.of(rows: _*)))).start().settle().stop().checkpoint
  }

  private def newFolder(): Path = TempFolders.create("hostile").resolve("one")

  private def snapshot(): Path = {
    val path = newFolder()
    exportSnapshot(checkpoint.toString, path.toString)
    path
  }

  private def refusal(body: => Any): String = intercept[AnalysisException](body).getMessage

  /** With one more file in the list, and the right checksums. */
  private def listing(path: String): Path = {
    val folder = snapshot()
    val file = folder.resolve("tidegate.snapshot")
    val Right(manifest) = Manifest.read(Files.readString(file)): @unchecked
    val bytes = "mine".getBytes
    val digest = Manifest.hex(MessageDigest.getInstance("SHA-256").digest(bytes))
    Files.deleteIfExists(folder.resolve(".tidegate.snapshot.crc"))
    val more = manifest.files :+ SnapshotFile(path, bytes.length.toLong, digest)
    Files.writeString(file, manifest.copy(files = more).text)
    Files.write(folder.resolveSibling("payload"), bytes)
    folder
  }

  private def text(folder: Path, what: String): String =
    s"[TIDEGATE_PATH_LEAVES_FOLDER] The folder $folder names files outside of itself: $what. No " +
      "query and no export writes such names, so nothing was copied. Do not use this folder; take " +
      "a copy from somebody whom you trust. SQLSTATE: 55000"

  private def checkRefused(folder: Path, what: String): Unit = {
    val target = newFolder()
    val path = folder.toString
    assert(refusal(verifySnapshot(path)) === text(folder, what))
    assert(refusal(inspectSnapshot(path)) === text(folder, what))
    assert(refusal(startSnapshot(path, target.toString)) === text(folder, what))
    assert(!Files.exists(target) && !Files.exists(target.resolveSibling("payload")))
  }

  test("a snapshot that lists a file outside of its folder") {
    val root = TempFolders.create("root").resolve("payload")
    Seq("../payload", "state/../../payload", root.toString, s"file:$root", "state//payload")
      .foreach { path =>
        checkRefused(listing(path), path)
      }
    val folder = listing("../payload")
    assert(
      refusal(checkCompatibility(folder.toString, counts(stream(EventFiles.of())))) ===
        text(folder, "../payload")
    )
  }

  test("a snapshot with symbolic links, to a file and to a folder") {
    val folder = snapshot()
    Files.move(folder.resolve("offsets"), folder.resolveSibling("offsets"))
    Files.createSymbolicLink(folder.resolve("offsets"), folder.resolveSibling("offsets"))
    checkRefused(folder, "offsets (a symbolic link)")
    val other = snapshot()
    Files.move(other.resolve("metadata"), other.resolveSibling("elsewhere"))
    Files.createSymbolicLink(other.resolve("metadata"), other.resolveSibling("elsewhere"))
    checkRefused(other, "metadata (a symbolic link)")
  }

  test("a state in RocksDB that lists a file outside of its folder") {
    withConf(StateStoreKind.rocks.conf.toSeq: _*) {
      val rows = (1 to 3).map(n => Seq(event("a", 10.0 * n)))
      val run = new Run(counts(stream(EventFiles.of(rows: _*)))).start().settle().stop()
      val zips = Files.walk(run.checkpoint)
      val zip =
        try zips.iterator.asScala.filter(_.toString.endsWith(".zip")).toSeq.max
        finally zips.close()
      val out = new ZipOutputStream(Files.newOutputStream(zip))
      out.putNextEntry(new ZipEntry("metadata"))
      out.write("""v1
{"sstFiles":[{"localFileName":"1.sst","dfsSstFileName":"../../../../metadata"}]}""".getBytes)
      out.close()
      Files.deleteIfExists(zip.resolveSibling(s".${zip.getFileName}.crc"))
      Files.deleteIfExists(zip.resolveSibling(s"${zip.getFileName}.crc"))
      val target = newFolder()
      assert(
        refusal(exportSnapshot(run.checkpoint.toString, target.toString)) ===
          text(run.checkpoint, "SSTs/../../../../metadata")
      )
      assert(!Files.exists(target))
    }
  }

  test("a state that names a schema outside of its folder") {
    val schema = "state/0/_stateSchema/../../../mine"
    assert(
      refusal(SchemaPaths.moved(s"""["file:/a/$schema"]""", "/b")) === text(Path.of("/b"), schema)
    )
  }

  test("which paths may lead out of a folder") {
    val inside = Seq("metadata", "state/0/1/2.delta", "sources/0/a:b", "state/..a/.b", "sink/a b")
    val outside =
      Seq("", "/a", "..", "a/..", "../a", "a/../../b", "./a", "a//b", "file:/a", "c:a", "a\\b")
    assert(inside.filter(paths.RelativePath.leaves) === Nil)
    assert(outside.filterNot(paths.RelativePath.leaves) === Nil)
  }
}
