package tidegate
package preparation

import java.nio.file.{Files, Path}

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.functions._

/**
 * A base for tests of checkpoints that move between Spark's watermarks and keyed ones. What Spark
 * has of the same query, with the same stops, is the oracle.
 */
trait AdoptionTest extends RestartTest {

  protected val rows: Seq[Seq[Event]] = Seq(
    Seq(event("a", 5), event("b", 5)),
    Seq(event("a", 15), event("b", 17)),
    Seq(event("a", 25), event("a", 25, 2), event("b", 16)),
    Seq(event("a", 3), event("a", 36), event("b", 27)),
    Seq(event("a", 26), event("b", 49)),
    Seq(event("a", 95))
  )

  protected def watched(in: DataFrame, alias: String = "s"): DataFrame =
    in.withWatermark("time", "2 seconds").as(alias)

  protected val queries: Seq[(String, DataFrame => DataFrame)] = Seq(
    "windows" -> (in => watched(in).groupBy(window(col("time"), "10 seconds")).count()),
    "sliding windows" -> { in =>
      watched(in).groupBy(window(col("time"), "10 seconds", "5 seconds")).count()
    },
    "a deduplication" -> (in => watched(in).dropDuplicates("time", "n")),
    "a left outer join" -> { in =>
      val times = expr("l.n = r.n AND l.time BETWEEN r.time - INTERVAL 2 SECONDS AND r.time")
      watched(in.where("sub = 'a'"), "l")
        .join(watched(in.where("sub = 'b'"), "r"), times, "leftOuter")
    }
  )

  protected def replacing[T](settings: (String, String)*)(body: => T): T = withConf(
    Seq(
      "spark.tidegate.replaceWithWatermark" -> "true",
      "spark.tidegate.lateness" -> "slowest"
    ) ++ settings: _*
  )(body)

  protected val adopting: (String, String) = "spark.tidegate.adoptCheckpoint" -> "true"

  /** What Spark has, with a stop after each of some numbers of files. */
  protected def ofSpark(query: DataFrame => DataFrame, stops: Int*): Seq[String] = {
    val folder = EventFiles.of()
    val run = new Run(query(stream(folder)))
    (0 +: stops).zip(stops :+ rows.size).foreach { case (from, until) =>
      (from until until).foreach(n => addFile(folder, n, rows(n)))
      run.start().settle().stop()
    }
    run.answer
  }

  /** A query of Spark's that has read some files, and its folder. */
  protected def begun(query: DataFrame => DataFrame, files: Int): (Run, Path) = {
    val folder = EventFiles.of(rows.take(files): _*)
    (new Run(query(stream(folder))).start().settle().stop(), folder)
  }

  /** The query begins with keyed watermarks, and goes on without Tidegate after some files. */
  protected def checkBack(query: DataFrame => DataFrame, files: Int): Unit = {
    val wanted = ofSpark(query, files)
    val folder = EventFiles.of(rows.take(files): _*)
    val run = new Run(query(stream(folder)))
    replacing()(run.start().settle().stop())
    release(run.checkpoint.toString)
    rows.indices.drop(files).foreach(n => addFile(folder, n, rows(n)))
    assert(run.start().settle().stop().answer === wanted)
    assert(wanted.nonEmpty)
  }

  /** The query goes on with keyed watermarks for a batch, and then without Tidegate. */
  protected def checkThereAndBack(query: DataFrame => DataFrame, files: Int): Unit = {
    val wanted = ofSpark(query, files, files + 1)
    val (run, folder) = begun(query, files)
    addFile(folder, files, rows(files))
    replacing(adopting)(run.start().settle().stop())
    assert(Files.exists(run.checkpoint.resolve("offsets.spark")))
    val isFrames = run.query.lastProgress.stateOperators.exists(_.operatorName.contains("frame"))
    assert(!isFrames)
    release(run.checkpoint.toString)
    rows.indices.drop(files + 1).foreach(n => addFile(folder, n, rows(n)))
    assert(run.start().settle().stop().answer === wanted)
    assert(wanted.nonEmpty)
  }
}
