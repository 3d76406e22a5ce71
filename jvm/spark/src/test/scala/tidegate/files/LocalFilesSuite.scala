package tidegate
package files

import java.io.FileNotFoundException
import java.nio.file.{Files, Path => LocalPath}
import java.util.EnumSet

import scala.jdk.CollectionConverters._

import jdk.jfr.Recording
import jdk.jfr.consumer.RecordingFile
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Options.{CreateOpts, Rename}
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.fs.{CreateFlag, FileContext, FileStatus, Path}
import org.apache.spark.sql.functions._
import org.scalatest.Assertion

/** Hadoop's own class is the oracle. */
class LocalFilesSuite extends RestartTest {

  override protected def atNight: Seq[String] = Seq("a query starts no process")

  import LocalFilesSuite._

  private def write(files: FileContext, path: Path, text: String): Unit = {
    val flags = EnumSet.of(CreateFlag.CREATE, CreateFlag.OVERWRITE)
    val out = files.create(path, flags, CreateOpts.createParent())
    out.write(text.getBytes("UTF-8"))
    out.close()
  }

  private def read(files: FileContext, path: Path): String = {
    val in = files.open(path)
    try new String(in.readAllBytes(), "UTF-8")
    finally in.close()
  }

  private def same(what: (FileContext, Path) => Any): Assertion = {
    val results = Seq(direct, hadoop).map { files =>
      val folder = TempFolders.create("local-files")
      val result = what(files, new Path(folder.toUri))
      (result, tree(folder))
    }
    assert(results.head === results.last)
  }

  test("files, checksums, permissions and lists are those of Hadoop's class") {
    same { (files, folder) =>
      write(files, new Path(folder, "plain"), "a")
      write(files, new Path(folder, "below/with space"), "b")
      files.mkdir(new Path(folder, "sticky"), new FsPermission("1777"), true)
      files.setPermission(new Path(folder, "plain"), new FsPermission("600"))
      files.util.listStatus(folder).toSeq.map(shown(folder, _)).sortBy(_.toString)
    }
  }

  test("below a folder with a group for all files") {
    same { (files, folder) =>
      val shared = new Path(folder, "shared")
      files.mkdir(shared, new FsPermission("755"), true)
      Files.setAttribute(local(shared), "unix:mode", Integer.parseInt("2755", 8))
      files.mkdir(new Path(shared, "below"), new FsPermission("750"), true)
      write(files, new Path(shared, "below/file"), "a")
      files.setPermission(shared, new FsPermission("700"))
      files.util.listStatus(shared).toSeq.map(shown(folder, _))
    }
  }

  test("a file renamed over another one, and where there is one") {
    same { (files, folder) =>
      val (from, to) = (new Path(folder, ".tmp"), new Path(folder, "to"))
      write(files, from, "1")
      files.rename(from, to)
      write(files, from, "2")
      val refused = intercept[Exception](files.rename(from, to, Rename.NONE)).getClass
      files.rename(from, to, Rename.OVERWRITE)
      (refused, read(files, to), files.util.exists(from))
    }
  }

  test("what is missing") {
    same { (files, folder) =>
      val missing = new Path(folder, "missing")
      def refused(body: => Any) = intercept[Exception](body).getClass.getSimpleName
      val found = Seq(
        refused(files.getFileStatus(missing)),
        refused(files.getFileLinkStatus(missing)),
        refused(files.util.listStatus(missing)),
        refused(files.open(missing)),
        refused(files.setPermission(missing, new FsPermission("600")))
      )
      // Hadoop's process says only that it failed.
      found.init
    }
    intercept[FileNotFoundException](direct.getFileStatus(new Path("/missing/file")))
  }

  test("links") {
    same { (files, folder) =>
      val target = new Path(folder, "target")
      write(files, target, "a")
      val link = new Path(folder, "link")
      Files.createSymbolicLink(local(link), local(target))
      Files.createSymbolicLink(local(new Path(folder, "broken")), local(new Path(folder, "none")))
      val status = files.getFileLinkStatus(link)
      (status.isSymlink, files.getFileStatus(link).getLen, read(files, link))
    }
  }

  private def count(folder: LocalPath) = stream(folder)
    .withKeyedWatermark("time", "1 second")
    .groupBy(window(col("time"), "5 seconds"))
    .count()

  test("a checkpoint goes from Hadoop's class to this one and back") {
    val folder = files(Seq(event("a", 1)), Seq(event("a", 7)), Seq(event("a", 20)))
    val undisturbed = new Run(count(folder)).start().settle().stop()
    val run = new Run(count(folder))
    Seq(HadoopFiles, OwnFiles, HadoopFiles).zipWithIndex.foreach { case (name, last) =>
      run.failIn = _ > last
      withClass(name)(run.start().awaitEnd())
    }
    assert(run.byBatch === undisturbed.byBatch.filter { case (id, _) => id <= 2 })
    assert(run.log.size >= 3)
  }

  private def withClass[T](name: String)(body: => T): T =
    withConf("fs.AbstractFileSystem.file.impl" -> name)(body)

  test("a query starts no process") {
    def started(name: String): Seq[String] = withClass(name) {
      val folder = files(Seq(event("a", 1)), Seq(event("a", 7)), Seq(event("a", 20)))
      val run = new Run(count(folder))
      processes(run.start().settle().stop())
    }
    // Once, Hadoop asks the system for the groups of the user.
    started(OwnFiles)
    assert(started(OwnFiles) === Nil)
    assert(started(HadoopFiles).exists(_.contains("chmod")))
  }
}

object LocalFilesSuite {
  private val OwnFiles = classOf[LocalFiles].getName
  private val HadoopFiles = "org.apache.hadoop.fs.local.LocalFs"

  private def context(name: String): FileContext = {
    val conf = new Configuration()
    conf.set("fs.AbstractFileSystem.file.impl", name)
    FileContext.getFileContext(new Path("file:///").toUri, conf)
  }

  private val (direct, hadoop) = (context(OwnFiles), context(HadoopFiles))

  private def local(path: Path): LocalPath = LocalPath.of(path.toUri.getPath)

  private def shown(folder: Path, s: FileStatus): Any = (
    folder.toUri.relativize(s.getPath.toUri).toString,
    s.getLen,
    s.isDirectory,
    s.getPermission,
    s.getOwner,
    s.getGroup,
    s.getBlockSize
  )

  /** All files of a folder with their permissions and bytes. */
  private def tree(folder: LocalPath): Seq[Any] = {
    val found = Files.walk(folder)
    try
      found.iterator.asScala
        .filterNot(Files.isSymbolicLink(_))
        .map { file =>
          val bytes = if (Files.isDirectory(file)) Nil else Files.readAllBytes(file).toSeq
          (folder.relativize(file).toString, Files.getAttribute(file, "unix:mode"), bytes)
        }
        .toSeq
        .sortBy(_._1)
    finally found.close()
  }

  /** The commands that this JVM starts meanwhile. */
  private def processes(body: => Any): Seq[String] = {
    val recording = new Recording()
    try {
      recording.enable("jdk.ProcessStart")
      recording.start()
      val _ = body
      recording.stop()
      val file = TempFolders.create("recording").resolve("processes.jfr")
      recording.dump(file)
      val commands = RecordingFile.readAllEvents(file).asScala.map(_.getString("command")).toSeq
      // With these, Spark removes the files of sessions of other tests, when Java collects them.
      commands.filterNot(_.contains("artifacts-"))
    } finally recording.close()
  }
}
