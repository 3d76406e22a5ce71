package tidegate
package preparation

import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.{OutputMode, StreamingQueryException}
import org.apache.spark.sql.{AnalysisException, DataFrame}
import tidegate.own.sessions.SessionTest

/** Which operator goes on with the sessions of a checkpoint, and which changes are refused. */
class RestoredSessionsSuite extends SessionTest {
  private val Ours = "sessionAggregate"

  private def sessions(rows: DataFrame): DataFrame = inSessions(rows, "3 seconds")

  private def send(run: Run)(body: => Unit): Seq[String] = {
    run.start()
    body
    run.settle()
    assert(isOwn(run) === (run.query.lastProgress.stateOperators.head.operatorName == Ours))
    run.take()
  }

  for (first <- Seq(true, false))
    onBothStores(s"the checkpoint decides, if the setting was $first and is changed") {
      val in = events()
      val run = new Run(sessions(in.toDF()))
      def step(enabled: Boolean)(seconds: Double*): Seq[String] = withFrames(enabled) {
        val rows = send(run)(in.addData(seconds.map(event("a", _))): Unit)
        assert(isOwn(run) === first)
        run.stop()
        rows
      }
      assert(step(first)(10, 11) === Nil)
      assert(step(!first)(12, 20) === Seq("[10,15)|1|3|3"))
      assert(step(first)(19, 40) === Seq("[19,23)|1|2|2"))
    }

  test("a checkpoint that failed in its first batch is nobody's yet") {
    val in = events()
    val run = new Run(sessions(in.toDF()))
    run.failIn = _ => true
    withFrames(enabled = false) {
      run.start()
      in.addData(event("a", 10))
      run.awaitEnd()
    }
    run.failIn = _ => false
    withFrames(enabled = true) {
      send(run)(in.addData(event("a", 11), event("a", 30)): Unit)
      assert(isOwn(run))
      run.settle()
    }
    assert(run.rows.size <= 1)
    run.stop()
  }

  /** What another query says on a checkpoint with our sessions; and the first one goes on. */
  private def refused(
      query: DataFrame => DataFrame,
      mode: OutputMode = OutputMode.Append()
  ): String = withFrames(enabled = true) {
    val in = events()
    val run = new Run(sessions(in.toDF()))
    send(run)(in.addData(event("a", 10)): Unit)
    run.stop()
    val other = new Run(query(in.toDF()), run.checkpoint, mode)
    val error = intercept[Exception] {
      other.start()
      in.addData(event("a", 11))
      other.settle()
    }
    if (other.query != null) other.stop() else in.addData(event("a", 11))
    assert(send(run)(in.addData(event("a", 12), event("a", 40)): Unit) === Seq("[10,15)|1|3|3"))
    run.stop()
    error match {
      case e: AnalysisException       => e.getMessage.split(";\n").head
      case e: StreamingQueryException => e.getCause.getMessage.split(";\n").head
      case unexpected                 => throw unexpected
    }
  }

  private val has = "[TIDEGATE_STATE_REFUSED] The checkpoint has the state of `aggregate`: "
  private val end = "Start the query as it was, or with a new checkpoint; nothing in this one " +
    "was changed. SQLSTATE: 42K03"

  test("windows of a fixed size are refused") {
    assert(
      refused(keyed(_).groupBy(window(col("time"), "3 seconds"), col("n")).agg(sum("n"))) ===
        s"${has}sessions with a gap of 3 s. But the query has no sessions there. $end"
    )
  }

  test("a gap that is not constant is refused") {
    val gap = expr("make_interval(0, 0, 0, 0, 0, 0, n)")
    assert(
      refused(
        keyed(_).groupBy(session_window(col("time"), gap), col("n")).agg(count("*"), sum("n"))
      ) === s"${has}sessions with a gap of 3 s. But the query cannot use them: the gap of the sessions is " +
        s"not the same for all rows. $end"
    )
  }

  test("other functions are refused") {
    val found =
      refused(keyed(_).groupBy(session_window(col("time"), "3 seconds"), col("n")).agg(max("n")))
    assert(found.startsWith(has) || found.contains("SCHEMA_NOT_COMPATIBLE"), found)
  }

  test("functions with the same types are refused") {
    val found = refused(
      keyed(_).groupBy(session_window(col("time"), "3 seconds"), col("n")).agg(sum("n"), count("*"))
    )
    assert(found.startsWith(has) || found.contains("SCHEMA_NOT_COMPATIBLE"), found)
  }

  test("complete mode, where no late rows are dropped, is refused") {
    val found = refused(sessions, OutputMode.Complete())
    assert(
      found === "[TIDEGATE_STATE_REFUSED] The checkpoint has the state of the operator with the " +
        s"number 1000: sessions. But the query has no sessions there. $end"
    )
  }

  onBothStores("a gap that was changed is told, and sessions keep their ends") {
    withFrames(enabled = true) {
      val in = events()
      val run = new Run(sessions(in.toDF()))
      send(run)(in.addData(event("a", 10, 1), event("a", 10, 2)): Unit)
      run.stop()
      val other = new Run(inSessions(in.toDF(), "8 seconds"), run.checkpoint)
      val lines = LogLines.during("tidegate.preparation.OwnOperators") {
        other.start()
        ()
      }
      assert(
        lines === Seq(
          "The sessions of aggregate were changed from sessions with a gap of 3 s to sessions " +
            "with a gap of 8 s: compatible, sessions that are open keep their ends until a row " +
            "joins them."
        )
      )
      in.addData(event("a", 12, 1), event("a", 15, 2))
      assert(other.settle().take() === Seq("[10,13)|2|1|2"))
      in.addData(event("a", 100))
      assert(other.settle().take() === Seq("[10,20)|1|2|2", "[15,23)|2|1|2"))
      other.stop()
    }
  }

  test("our sessions are not released") {
    withFrames(enabled = true) {
      val in = events()
      val run = new Run(sessions(in.toDF()))
      send(run)(in.addData(event("a", 10)): Unit)
      run.stop()
      val error = intercept[Exception](release(run.checkpoint.toString))
      assert(
        error.getMessage.startsWith(
          s"[TIDEGATE_RELEASED_STATE] The checkpoint ${run.checkpoint} has state that Spark cannot " +
            "read, of `sessionAggregate`."
        )
      )
    }
  }
}
