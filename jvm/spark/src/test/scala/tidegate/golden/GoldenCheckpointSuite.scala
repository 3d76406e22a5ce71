package tidegate
package golden

import java.nio.file.Path

import org.apache.spark.sql.Row
import org.apache.spark.sql.functions.col
import tidegate.own.deduplication.DeduplicateByTime
import tidegate.own.join.IntervalJoin
import tidegate.own.order.EventTimeOrder
import tidegate.own.sessions.SessionAggregate
import tidegate.own.windows.FrameAggregate

/**
 * Continues golden checkpoints: a query stopped in the middle of its input, and this version has to
 * give for the rest of the input what the version gave that wrote the checkpoint.
 *
 * `./sbt -Dtidegate.golden.write=<version> "spark/testOnly tidegate.golden.*"` writes the files of
 * the version that is checked out. Do so before a release and for every new format; never write the
 * files of a published version anew.
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

    /**
     * Starts the query for a step: rows of both streams come in one batch. A query that runs may
     * read those of one stream before the others are there.
     */
    def startFor(step: GoldenStep): Unit = {
      if (run.query != null) run.stop()
      add(step)
      run.start().settle()
      ()
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
      val nodes = run.running.figures.watermarks.toSeq.map { case (name, node) =>
        s"  watermark $name: ${ms(node.watermarkMs)}"
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
    GoldenInput.before.foreach(stopped.startFor)
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
    assert(text(GoldenInput.after.map(continued.send)) === folder.expected(query.name))
    continued.run.stop()
    ()
  }

  private def text(steps: Seq[String]): String =
    steps.zipWithIndex.map { case (step, i) => s"step ${i + 1}\n$step\n" }.mkString

  private def goldenTest(title: String, query: GoldenQuery)(body: => Unit): Unit = test(title) {
    assume(query.isOfThisSpark, "its state has a format of a later Spark")
    // The checkpoints are of queries that close in the next batch.
    withConf((query.settings + ("spark.tidegate.closing" -> "nextBatch")).toSeq: _*)(body)
  }

  GoldenFolder.written match {
    case Some(folder) =>
      GoldenQueries.all.foreach { query =>
        goldenTest(s"write ${folder.name}/${query.name}", query)(write(query, folder))
      }
    case None =>
      val queries = GoldenQueries.all.map(query => query.name -> query).toMap
      for (folder <- GoldenFolder.all; name <- folder.queries)
        queries.get(name) match {
          case Some(query) =>
            goldenTest(s"${folder.name}: $name goes on", query)(check(query, folder))
          case None => test(s"${folder.name}: $name goes on")(fail(s"no query is named $name"))
        }

      for (folder <- GoldenFolder.latest; query <- GoldenQueries.all if folder.has(query.name))
        goldenTest(s"${folder.name}: the state of ${query.name} is written as before", query) {
          assert(
            states(begun(query)) === states(folder.unpack(query.name)),
            "Checkpoints have the state on the right. Read both, with another number of the format."
          )
        }

      test("every query has a checkpoint in the formats of today") {
        assert(
          GoldenQueries.all.map(_.name).diff(GoldenFolder.latest.toSeq.flatMap(_.queries)) === Nil,
          "have no checkpoint in the latest folder. Write them as the comment of this suite says"
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
