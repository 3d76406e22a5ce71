package tidegate
package golden

import java.nio.file.Path

import org.apache.spark.sql.Row
import org.apache.spark.sql.functions.col
import tidegate.core.clock.ClockCodec
import tidegate.core.window.FrameFormat
import tidegate.own.deduplication.DeduplicateByTime
import tidegate.own.join.IntervalJoin
import tidegate.own.order.EventTimeOrder
import tidegate.own.sessions.SessionAggregate
import tidegate.own.windows.FrameAggregate
import tidegate.settings.Settings

/**
 * Continues what earlier versions have begun: a query stopped in the middle of its input, and this
 * version has to give what that version gave for the rest of the input.
 *
 * `./sbt -Dtidegate.golden.write=<version> "spark/testOnly tidegate.golden.*"` writes the files of
 * the version that is checked out. Do so before a release and for every new format; never write the
 * files of an earlier version anew.
 */
class GoldenCheckpointSuite extends RestartTest {

  /** A query over the golden input, step by step. */
  private final class Continued(query: GoldenQuery, checkpoint: Path, sent: Seq[GoldenStep]) {
    private val (left, right) = (events(), events())
    val run = new Run(query.query(left.toDF(), right.toDF()), checkpoint)
    sent.foreach(add)
    private var late = Map.empty[String, Long]

    private def add(step: GoldenStep): Unit = {
      run.clock.advance(step.waited * 1000L)
      left.addData(step.left)
      right.addData(step.right)
      ()
    }

    /** What a step gives, as text. */
    def send(step: GoldenStep): String = {
      add(step)
      run.settle()
      val rows = run.rowsByBatch.toSeq.sortBy(_._1).flatMap(_._2).map(KeyedStreamTest.text)
      run.clear()
      val lines = if (query.isOrdered) rows else rows.sorted
      (described(lines) ++ lateRows ++ watermarks).mkString("\n")
    }

    private def described(rows: Seq[String]): Seq[String] =
      if (rows.size <= Continued.MostRows) rows.map("  " + _)
      else Seq(s"  ${rows.size} rows, hash ${rows.mkString("\n").hashCode}")

    private def lateRows: Seq[String] = {
      val now = run.lateRows
      val added = now.map { case (name, n) => name -> (n - late.getOrElse(name, 0L)) }
      late = now
      added.toSeq.sorted.collect { case (name, n) if n > 0 => s"  late for $name: $n" }
    }

    private def watermarks: Seq[String] = {
      def ms(at: Option[Long]) = at.fold("none")(_.toString)
      val nodes = run.running.clock.view.nodes.toSeq.map { case (name, node) =>
        s"  watermark $name: ${ms(node.mark.watermarkMs)}"
      }
      val operators = run.log.last.operators.toSeq.map { case (name, (late, eviction)) =>
        s"  operator $name: late ${ms(late)}, eviction ${ms(eviction)}"
      }
      nodes.sorted ++ operators.sorted
    }
  }

  private object Continued {
    val MostRows = 60
  }

  private def write(query: GoldenQuery, folder: GoldenFolder): Unit = {
    val undisturbed = new Continued(query, newCheckpoint(), Nil)
    undisturbed.run.start()
    GoldenInput.before.foreach(undisturbed.send)
    val expected = GoldenInput.after.map(undisturbed.send)
    undisturbed.run.stop()
    folder.write(query.name, begun(query), text(expected))
  }

  /** The checkpoint of a query that has stopped in the middle. */
  private def begun(query: GoldenQuery): Path = {
    val stopped = new Continued(query, newCheckpoint(), Nil)
    stopped.run.start()
    GoldenInput.before.foreach(stopped.send)
    stopped.run.stop()
    stopped.run.checkpoint
  }

  /** The columns and rows of the states of Tidegate's own operators. */
  private def states(checkpoint: Path): Seq[String] = {
    def read(format: String) = spark.read.format(format)
    val operators = read("state-metadata")
      .load(checkpoint.toString)
      .where(col("operatorName").isin(GoldenCheckpointSuite.OwnStates: _*))
      .select("operatorId", "operatorName")
      .collect()
    operators.toSeq.map(o => o.getLong(0) -> o.getString(1)).sorted.flatMap { case (id, name) =>
      val state = read("statestore").option("operatorId", id).load(checkpoint.toString)
      val rows = state.collect().map(GoldenCheckpointSuite.written).sorted
      s"$name: ${state.schema.catalogString}" +: rows.map("  " + _)
    }
  }

  private def check(query: GoldenQuery, folder: GoldenFolder): Unit = {
    val continued = new Continued(query, folder.unpack(query.name), GoldenInput.before)
    continued.run.start().settle()
    assert(continued.run.take() === Nil, "rows that had left before")
    val found = text(GoldenInput.after.map(continued.send))
    val expected = folder.expected(query.name)
    if (folder.knowsSilence) assert(found === expected)
    else assert(inTheEnd(query, found) === inTheEnd(query, expected))
    continued.run.stop()
    ()
  }

  /**
   * All rows, in any order, how many were late, and the last watermarks. A checkpoint that does not
   * say since when a substream is silent lets its silence begin anew: rows leave later. Where a row
   * has the moment at which it left, or where a step shows a hash of its rows, only their number
   * counts.
   */
  private def inTheEnd(query: GoldenQuery, text: String): Seq[String] = {
    val lines = text.linesIterator.filterNot(_.startsWith("step")).toSeq
    val (times, others) =
      lines.partition(l => l.startsWith("  watermark") || l.startsWith("  operator"))
    val rows =
      if (!query.rowsHaveMoment && !others.exists(Hashed.matches)) others.sorted
      else Seq(others.map { case Hashed(n) => n.toInt; case _ => 1 }.sum.toString)
    rows ++ times.takeRight(times.size / GoldenInput.after.size)
  }

  private val Hashed = """ *(\d+) rows, hash .*""".r

  private def text(steps: Seq[String]): String =
    steps.zipWithIndex.map { case (step, i) => s"step ${i + 1}\n$step\n" }.mkString

  /**
   * The steps show the watermarks of batches without rows, which earlier versions never left out.
   */
  private def settings(query: GoldenQuery): Seq[(String, String)] =
    query.settings.toSeq :+ (Settings.NoDataBatchesOnlyWhenDue.key -> "false")

  private val today = s".offset-${ClockCodec.Format}.frames-${FrameFormat.Highest}"

  GoldenFolder.written match {
    case Some(version) =>
      val folder = new GoldenFolder(GoldenFolder.root.resolve(version + today))
      GoldenQueries.all.foreach { query =>
        test(s"write ${folder.name}/${query.name}") {
          withConf(settings(query): _*)(write(query, folder))
        }
      }
    case None =>
      val queries = GoldenQueries.all.map(query => query.name -> query).toMap
      for (folder <- GoldenFolder.all; name <- folder.queries)
        test(s"${folder.name}: $name goes on") {
          val query = queries.getOrElse(name, fail(s"no query is named $name"))
          assume(query.isOfThisSpark, "its state has a format of a later Spark")
          withConf(settings(query): _*)(check(query, folder))
        }

      for {
        folder <- GoldenFolder.all
        if folder.name.endsWith(today)
        name <- folder.queries
        query <- queries.get(name)
      } test(s"${folder.name}: the state of $name is written as before") {
        assume(query.isOfThisSpark, "its state has a format of a later Spark")
        withConf(settings(query): _*) {
          assert(
            states(begun(query)) === states(folder.unpack(name)),
            "Checkpoints have the state on the right. Read both, with another number of the format."
          )
        }
      }

      test("every query has a checkpoint in the formats of today") {
        val written = GoldenFolder.all.filter(_.name.endsWith(today)).flatMap(_.queries)
        assert(
          GoldenQueries.all.map(_.name).diff(written) === Nil,
          s"have no checkpoint in a folder *$today. Write them as the comment of this suite says"
        )
      }
  }
}

object GoldenCheckpointSuite {
  private val OwnStates: Seq[String] = Seq(
    FrameAggregate.StateName,
    SessionAggregate.StateName,
    IntervalJoin.StateName,
    DeduplicateByTime.StateName,
    EventTimeOrder.StateName
  )

  private def written(value: Any): String = value match {
    case row: Row           => row.toSeq.map(written).mkString("[", ", ", "]")
    case values: Seq[_]     => values.map(written).mkString("(", ", ", ")")
    case bytes: Array[Byte] => bytes.map(b => f"$b%02x").mkString
    case other              => String.valueOf(other)
  }
}
