package tidegate
package preparation

import java.net.URI
import java.nio.file.Files

import org.apache.hadoop.fs.{Path, RawLocalFileSystem}
import org.apache.spark.sql.AnalysisException

/** Local files under a scheme of their own, of which some folders cannot be renamed. */
final class StuckFileSystem extends RawLocalFileSystem {
  override def getUri: URI = URI.create("stuck:///")
  override def getScheme: String = "stuck"
  override def rename(from: Path, to: Path): Boolean =
    from.getName != StuckFileSystem.folder && super.rename(from, to)
}

object StuckFileSystem {
  @volatile var folder = ""
}

/** What is left of a change of a checkpoint whose folders cannot be renamed. */
class NotRenamedSuite extends AdoptionTest {
  private val (_, windows) = queries.head

  for (
    (title, from, to) <- Seq(
      ("the old log", "offsets", "offsets.spark"),
      ("the new log", "offsets.changed", "offsets")
    )
  )
    test(s"$title cannot be renamed: nothing is changed, and the next try adopts") {
      withConf("fs.stuck.impl" -> classOf[StuckFileSystem].getName) {
        val (run, folder) = begun(windows, 3)
        val location = s"stuck:${run.checkpoint}"
        val before = Checkpoints.offsetTexts(run.checkpoint)
        StuckFileSystem.folder = from
        val error = replacing() {
          intercept[AnalysisException](adopt(location, windows(stream(folder))))
        }
        assert(
          error.getMessage === s"[TIDEGATE_NOT_RENAMED] $location/$from could not be renamed to " +
            s"$location/$to. Nothing else was changed. Check the permissions, and try again. " +
            "SQLSTATE: 58030"
        )
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
}
