package tidegate
package paths

import java.nio.file.{Files, Path}

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.AnalysisException
import org.scalatest.funsuite.AnyFunSuite

class FoldersApartSuite extends AnyFunSuite {

  private val root: Path = TempFolders.create("apart").toRealPath()

  private def found(source: String, target: String): Option[String] =
    try {
      FoldersApart.check("exportSnapshot", source, "path", target, new Configuration)
      None
    } catch { case e: AnalysisException => Some(e.getMessage) }

  private def text(source: String, target: String, how: String): String =
    s"[TIDEGATE_PATHS_NOT_APART] The argument `path` of exportSnapshot is $target, which $how " +
      s"$source: what is written there would change what is copied. Name a folder outside of it. " +
      "SQLSTATE: 22023"

  test("a folder that is, contains or is in the other, however it is written") {
    val a = s"$root/a"
    assert(found(a, a) === Some(text(a, a, "is the same folder as")))
    assert(found(a, s"file:$a/") === Some(text(a, s"file:$a/", "is the same folder as")))
    assert(found(a, s"$a/state/x") === Some(text(a, s"$a/state/x", "is in the folder")))
    assert(found(s"$a/b", a) === Some(text(s"$a/b", a, "contains the folder")))
    assert(found(a, s"$root/x/../a/b") === Some(text(a, s"$root/x/../a/b", "is in the folder")))
  }

  test("a folder behind a symbolic link") {
    Files.createDirectories(root.resolve("real"))
    val link = Files.createSymbolicLink(root.resolve("link"), root.resolve("real"))
    val real = s"$root/real"
    assert(found(real, s"$link/new") === Some(text(real, s"$link/new", "is in the folder")))
  }

  test("folders beside each other, also with the beginning of a name in common") {
    assert(found(s"$root/a", s"$root/ab") === None)
    assert(found(s"$root/a", s"$root/b/a") === None)
  }
}
