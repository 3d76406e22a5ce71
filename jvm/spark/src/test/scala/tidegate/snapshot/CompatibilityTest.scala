package tidegate
package snapshot

import java.nio.file.{Files, Paths}

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.StreamingQueryException
import org.apache.spark.sql.{DataFrame, Dataset}
import tidegate.settings.Settings

/**
 * What `checkCompatibility` says of each change of a query. The oracle is a real start of the
 * changed query on the same checkpoint. The cells are those of a table in `docs/checkpoints.md`.
 */
trait CompatibilityTest extends RestartTest {

  protected val batches: Seq[Seq[Event]] = Seq(
    Seq(event("a", 5), event("b", 5)),
    Seq(event("a", 15), event("b", 17)),
    Seq(event("a", 25), event("b", 26, 2))
  )

  protected def keyed(
      in: DataFrame,
      lag: String = "5 seconds",
      name: String = "orders",
      substream: Seq[String] = Seq("sub"),
      key: Int = 0
  ): DataFrame = in.withKeyedWatermark("time", lag, key, substream = substream, name = name)

  protected def windows(size: String, slide: String = null)(in: DataFrame): DataFrame = {
    val of = Option(slide).fold(window(col("time"), size))(window(col("time"), size, _))
    in.groupBy(of, col("sub")).count()
  }

  protected def named(in: Dataset[_], name: String): DataFrame = in.tidegateName(name).toDF()

  protected val hourly: DataFrame => DataFrame = in => windows("10 seconds")(keyed(in))
  protected val sliding: DataFrame => DataFrame = in =>
    windows("20 seconds", "5 seconds")(keyed(in))

  /** Up to three streams of the same kind, so that a change can add and remove one. */
  private type Query = Seq[DataFrame] => DataFrame

  private val rowsWithCells = mutable.Set.empty[String]

  /**
   * @param row
   *   what was changed, as the table of the page says it
   * @param isOwn
   *   whether windows, joins and deduplications are ours; otherwise they are Spark's
   * @param stages
   *   the verdict on each stage that was changed, with the beginning of its reason
   */
  protected def cell(
      row: String,
      title: String,
      before: DataFrame => DataFrame,
      after: DataFrame => DataFrame,
      settings: Map[String, String] = Map.empty,
      isOwn: Boolean = true
  )(stages: (String, Verdict, String)*): Unit =
    cellOfTwo(row, title, in => before(in.head), in => after(in.head), settings, isOwn)(
      stages: _*
    )

  /** As `cell`, of a query that may read two folders. */
  protected def cellOfTwo(
      row: String,
      title: String,
      before: Seq[DataFrame] => DataFrame,
      after: Seq[DataFrame] => DataFrame,
      settings: Map[String, String] = Map.empty,
      isOwn: Boolean = true
  )(stages: (String, Verdict, String)*): Unit = {
    rowsWithCells += row
    test(title) {
      val own = Seq(
        Settings.WindowsEnabled,
        Settings.JoinEnabled,
        Settings.DeduplicationEnabled
      )
      withConf(own.map(_.key -> isOwn.toString): _*) {
        check(before, after, settings, stages)
      }
    }
  }

  private def check(
      before: Query,
      after: Query,
      settings: Map[String, String],
      stages: Seq[(String, Verdict, String)]
  ): Unit = {
    val folders = Seq.fill(2)(EventFiles.of(batches: _*))
    def streams = folders.map(stream(_))
    val run = new Run(before(streams)).start().settle().stop()
    val files = run.checkpoint.toFile.list.toSet
    withConf(settings.toSeq: _*) {
      val changed = after(streams)
      val found = checkCompatibility(run.checkpoint.toString, changed)
      assert(run.checkpoint.toFile.list.toSet === files)
      stages.foreach { case (stage, verdict, reason) =>
        val s = found.stages.find(_.stage == stage)
        assert(s.map(_.verdict) === Some(verdict), s"$stage: $found")
        assert(s.get.reason.startsWith(reason), stage)
      }
      // No stage is refused, removed or new but those that the cell names.
      val others = found.stages.filterNot(s => stages.exists(_._1 == s.stage))
      val silent = others.filter(s => s.kind == "query" || s.verdict == Verdict.GoesOn)
      assert(others === silent)
      // A real start says the same.
      folders.foreach(addFile(_, batches.size, Seq(event("a", 60), event("b", 60))))
      val again = new Run(changed, run.checkpoint)
      val refusal = Try(again.start().settle().stop()).failed.toOption.map {
        case e: StreamingQueryException => e.getCause
        case e                          => e
      }
      assert(found.isCompatible === refusal.isEmpty, refusal.map(_.getMessage))
      val words = found.stages.filter(_.verdict == Verdict.Refused).map(_.reason).distinct
      assert(words === refusal.map(_.getMessage.replace("file:/", "/")).toSeq)
    }
  }

  /** Demands a cell for each row of a table, and a row for each cell. */
  protected def checkTable(heading: String): Unit =
    test(s"each row of the table `$heading` has a cell") {
      val page = Files.readAllLines(Paths.get(sys.props("tidegate.docs"), "checkpoints.md"))
      val section =
        page.asScala.dropWhile(_ != s"## $heading").drop(1).takeWhile(!_.startsWith("## "))
      val rows = section.filter(_.startsWith("| ")).drop(1).map(_.split('|')(1).trim)
      assert(rows.nonEmpty)
      assert(rowsWithCells === rows.toSet)
    }
}
