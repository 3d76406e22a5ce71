package tidegate
package preparation

import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.{AnalysisException, DataFrame}
import tidegate.builders.Between

/** States of joins and deduplications that a newer version wrote. */
class RestoredFormatsSuite extends RestartTest {

  private def keyed(in: DataFrame, time: String, key: Int): DataFrame =
    in.withColumnRenamed("time", time).withKeyedWatermark(time, "2 seconds", key)

  private def mark(number: Int) = s"\"tidegate.stateFormat\":$number"

  /** Changes the schema of the state. */
  private def rewrite(checkpoint: Path, before: String, after: String): Unit = {
    val files = Files.walk(checkpoint.resolve("state").resolve("1000"))
    val schemas =
      try files.iterator.asScala.filter(Files.isRegularFile(_)).toVector
      finally files.close()
    val found = schemas.filter(f => Files.readString(f, ISO_8859_1).contains(before))
    assert(found.size === 1)
    val text = Files.readString(found.head, ISO_8859_1)
    assert(before.length === after.length, "the file has the length of the text")
    Files.writeString(found.head, text.replace(before, after), ISO_8859_1)
    Files.deleteIfExists(found.head.resolveSibling(s".${found.head.getFileName}.crc"))
    ()
  }

  Seq[(String, DataFrame => DataFrame)](
    "join" -> { in =>
      keyed(in, "time", 0).streamJoin(
        keyed(in, "later", 1),
        Seq("n"),
        "inner",
        Between("later", "time", "0 seconds", "9 seconds")
      )
    },
    "deduplicate" -> (keyed(_, "time", 0).dropDuplicates("time"))
  ).foreach { case (name, query) =>
    onBothStores(s"$name: the state has a number, and a higher one is refused") {
      val in = events()
      val run = new Run(query(in.toDF())).start()
      in.addData(event("a", 5))
      assert(run.settle().stop().rows.size === 1)
      rewrite(run.checkpoint, mark(1), mark(2))
      val error = intercept[AnalysisException](run.start())
      assert(
        error.getMessage.split(";\n").head ===
          s"[TIDEGATE_NEWER_STATE] The checkpoint was written by a newer Tidegate: the state of $name " +
          "has format 2, and this version reads up to 1. Use the newer version. SQLSTATE: KD000"
      )
      // Without a number, the first format is meant.
      rewrite(run.checkpoint, mark(2), mark(1).replace("state", "other"))
      in.addData(event("a", 5), event("a", 6))
      run.start().settle()
      assert(run.rows.nonEmpty)
    }
  }
}
