package tidegate
package preparation

import java.net.URI
import java.nio.file.Files

import org.apache.hadoop.fs.{Path, RawLocalFileSystem}
import org.apache.hadoop.security.AccessControlException
import org.apache.spark.sql.AnalysisException

/** Local files under a scheme of their own, of which some folders cannot be renamed. */
final class StuckFileSystem extends RawLocalFileSystem {
  override def getUri: URI = URI.create("stuck:///")
  override def getScheme: String = "stuck"
  override def rename(from: Path, to: Path): Boolean = {
    val isStuck = from.getName == StuckFileSystem.folder
    if (isStuck && StuckFileSystem.isThrowing) throw new AccessControlException("no permission")
    !isStuck && super.rename(from, to)
  }
}

object StuckFileSystem {
  @volatile var folder = ""

  /** Whether the file system throws, as HDFS does. Others only answer that they did not rename. */
  @volatile var isThrowing = false
}

/** The folders of a checkpoint when a change was refused, cut off, or taken back by hand. */
class AdoptionFoldersSuite extends AdoptionTest {
  private val (_, windows) = queries.head

  for (
    isThrowing <- Seq(false, true);
    (title, from, to) <- Seq(
      ("the old log", "offsets", "offsets.spark"),
      ("the new log", "offsets.changed", "offsets")
    )
  )
    test(
      s"$title ${if (isThrowing) "must not" else "cannot"} be renamed: nothing is changed, and " +
        "the next try adopts"
    ) {
      withConf("fs.stuck.impl" -> classOf[StuckFileSystem].getName) {
        val (run, folder) = begun(windows, 3)
        val location = s"stuck:${run.checkpoint}"
        val before = Checkpoints.offsetTexts(run.checkpoint)
        StuckFileSystem.folder = from
        StuckFileSystem.isThrowing = isThrowing
        val error = replacing() {
          intercept[AnalysisException](adopt(location, windows(stream(folder))))
        }
        assert(
          error.getMessage === s"[TIDEGATE_NOT_RENAMED] $location/$from could not be renamed to " +
            s"$location/$to. Nothing else was changed. Check the permissions, and try again. " +
            "SQLSTATE: 58030"
        )
        assert(error.cause.map(_.getMessage) === Option.when(isThrowing)("no permission"))
        assert(Checkpoints.offsetTexts(run.checkpoint) === before)
        assert(!Files.exists(run.checkpoint.resolve("offsets.spark")))

        StuckFileSystem.folder = ""
        rows.indices.drop(3).foreach(n => addFile(folder, n, rows(n)))
        replacing() {
          assert(adopt(location, windows(stream(folder))) === Some(at(23).toInstant))
          assert(run.start().settle().stop().answer === ofSpark(windows, 3))
        }
      }
    }

  test("a release that was cut off between its two renames is ended by another release") {
    val wanted = ofSpark(windows, 3, 4)
    val (run, folder) = begun(windows, 3)
    val location = run.checkpoint.toString
    addFile(folder, 3, rows(3))
    replacing(adopting)(run.start().settle().stop())
    val released = release(location)
    assert(released === Some(at(34).toInstant))
    Files.move(run.checkpoint.resolve("offsets"), run.checkpoint.resolve("offsets.changed"))

    assert(release(location) === released)
    (4 until rows.size).foreach(n => addFile(folder, n, rows(n)))
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
