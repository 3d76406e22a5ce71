package tidegate
package preparation

import java.io.IOException
import java.net.URI
import java.nio.file.{Files, Path}

import org.apache.hadoop.fs.{Path => HadoopPath, RawLocalFileSystem}
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{AnalysisException, DataFrame}

/** Local files under a scheme of their own, of which one name is not renamed. */
final class RefusingFileSystem extends RawLocalFileSystem {
  override def getUri: URI = URI.create("refusing:///")
  override def getScheme: String = "refusing"

  override def rename(from: HadoopPath, to: HadoopPath): Boolean = {
    val isRefused = getConf.get(RefusingFileSystem.Refused) == from.getName
    if (isRefused && getConf.getBoolean(RefusingFileSystem.Throws, false))
      throw new IOException("no permission")
    !isRefused && super.rename(from, to)
  }
}

object RefusingFileSystem {
  val Refused = "fs.refusing.refused"
  val Throws = "fs.refusing.throws"
}

/**
 * The two renames that change a checkpoint: refused by the file system, cut off, and taken back.
 */
class CheckpointRenamesSuite extends AdoptionTest {

  override protected def atNight: Seq[String] = Seq(
    "offsets.changed is not renamed, with an",
    "offsets is not renamed, without"
  )

  private def windows(in: DataFrame): DataFrame =
    watched(in).groupBy(window(col("time"), "10 seconds")).count()

  private def refused(from: String, throws: Boolean)(body: => Any): String = withConf(
    "fs.refusing.impl" -> classOf[RefusingFileSystem].getName,
    "fs.refusing.impl.disable.cache" -> "true",
    RefusingFileSystem.Refused -> from,
    RefusingFileSystem.Throws -> throws.toString
  )(intercept[AnalysisException](body).getMessage)

  private def sentence(checkpoint: Path, from: String, to: String): String =
    s"[TIDEGATE_NOT_RENAMED] refusing:$checkpoint/$from could not be renamed to " +
      s"refusing:$checkpoint/$to. Nothing else was changed. Check the permissions, and try again. " +
      "SQLSTATE: 58030"

  for (
    (from, to) <- Seq("offsets" -> "offsets.spark", "offsets.changed" -> "offsets");
    throws <- Seq(false, true)
  )
    test(s"$from is not renamed, ${if (throws) "with an exception" else "without one"}") {
      val wanted = ofSpark(windows, 3)
      val (run, folder) = begun(windows, 3)
      val before = Checkpoints.offsetTexts(run.checkpoint)
      rows.indices.drop(3).foreach(n => addFile(folder, n, rows(n)))
      replacing() {
        val location = s"refusing:${run.checkpoint}"
        val found = refused(from, throws)(adopt(location, windows(stream(folder))))
        assert(found === sentence(run.checkpoint, from, to))
        assert(Checkpoints.offsetTexts(run.checkpoint) === before)
        assert(!Files.exists(run.checkpoint.resolve("offsets.spark")))
        assert(adopt(run.checkpoint.toString, windows(stream(folder))) === Some(at(23).toInstant))
        assert(run.start().settle().stop().answer === wanted)
      }
    }

  test("a release that was cut off between its two renames is ended by the next call") {
    val wanted = ofSpark(windows, 3, 4)
    val (run, folder) = begun(windows, 3)
    addFile(folder, 3, rows(3))
    replacing(adopting)(run.start().settle().stop())
    val location = run.checkpoint.toString
    val released = release(location)
    assert(released === Some(at(34).toInstant))
    Files.move(run.checkpoint.resolve("offsets"), run.checkpoint.resolve("offsets.changed"))
    assert(release(location) === released)
    rows.indices.drop(4).foreach(n => addFile(folder, n, rows(n)))
    assert(run.start().settle().stop().answer === wanted)
  }

  test("an adoption is taken back by hand, as long as no batch has run") {
    val (run, folder) = begun(windows, 3)
    val before = Checkpoints.offsetTexts(run.checkpoint)
    replacing()(adopt(run.checkpoint.toString, windows(stream(folder))))
    assert(Checkpoints.offsetTexts(run.checkpoint) !== before)
    Files.move(run.checkpoint.resolve("offsets"), run.checkpoint.resolve("offsets.mine"))
    Files.move(run.checkpoint.resolve("offsets.spark"), run.checkpoint.resolve("offsets"))

    assert(Checkpoints.offsetTexts(run.checkpoint) === before)
    rows.indices.drop(3).foreach(n => addFile(folder, n, rows(n)))
    assert(run.start().settle().stop().answer === ofSpark(windows, 3))
  }
}
