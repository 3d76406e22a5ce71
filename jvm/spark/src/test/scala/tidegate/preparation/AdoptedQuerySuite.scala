package tidegate
package preparation

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.streaming.{OutputMode, Trigger}

/** The handle of a job that has stopped takes the place of its DataFrame in `adopt`. */
class AdoptedQuerySuite extends AdoptionTest {
  private val (_, windows) = queries.head

  private def refusal(body: => Any): String = intercept[AnalysisException](body).getMessage

  for (mode <- Seq(OutputMode.Append(), OutputMode.Update()))
    test(s"a query that was stopped, in mode $mode: no row is lost") {
      def answer(isAdopted: Boolean): Seq[String] = {
        val folder = EventFiles.of(rows.take(3): _*)
        // Without a time among the keys, Tidegate refuses mode append.
        def frame =
          if (mode == OutputMode.Append()) windows(stream(folder))
          else watched(stream(folder)).groupBy("sub").count()
        val run = new Run(frame, mode = mode).start().settle().stop()
        rows.indices.drop(3).foreach(n => addFile(folder, n, rows(n)))
        if (isAdopted)
          replacing() {
            assert(adopt(run.checkpoint.toString, run.query) === Some(at(23).toInstant))
            run.start().settle().stop().answer
          }
        else run.start().settle().stop().answer
      }
      assert(answer(isAdopted = true) === answer(isAdopted = false))
    }

  test("without the setting, the plan has Spark's watermark") {
    val (run, _) = begun(windows, 3)
    assert(
      refusal(adopt(run.checkpoint.toString, run.query)) === "[TIDEGATE_NOTHING_TO_ADOPT] The " +
        "query has no keyed watermark that could adopt a checkpoint. Call withKeyedWatermark, or " +
        "set spark.tidegate.replaceWithWatermark=true. SQLSTATE: 42K0E"
    )
  }

  test("a query that still runs, and one that ran with keyed watermarks") {
    val (run, folder) = begun(windows, 3)
    val location = run.checkpoint.toString
    val other = new Run(windows(stream(folder))).start().settle()
    assert(
      refusal(replacing()(adopt(location, other.query))) === "[TIDEGATE_CHECKPOINT_IN_USE] The " +
        s"checkpoint file:${other.checkpoint} belongs to the query `${other.query.id}`, which is " +
        "running. Stop the query first. SQLSTATE: 55000"
    )
    val keyed = replacing()(new Run(windows(stream(folder))).start().settle().stop())
    assert(
      refusal(adopt(location, keyed.query)) === "[TIDEGATE_ADOPTED_QUERY] The query " +
        s"`${keyed.query.id}` ran with keyed watermarks, and its plan was made for its own " +
        "checkpoint. Give the DataFrame of the query. SQLSTATE: 42K0E"
    )
  }

  test("a query without batches shows no plan") {
    val query = spark.readStream
      .format("rate")
      .load()
      .writeStream
      .format("noop")
      .option("checkpointLocation", newCheckpoint().toString)
      .trigger(Trigger.Continuous("1 hour"))
      .start()
    query.stop()
    val (run, _) = begun(windows, 3)
    assert(
      refusal(adopt(run.checkpoint.toString, query)) === "[TIDEGATE_ADOPTED_WITHOUT_PLAN] The " +
        s"query `${query.id}` does not show its plan. Give the DataFrame of the query. " +
        "SQLSTATE: 42K0E"
    )
  }
}
