package tidegate
package own.windows

import org.apache.spark.sql.functions.{col, window}
import org.apache.spark.sql.tidegate.Feed
import org.apache.spark.sql.{Column, DataFrame}
import tidegate.own.OperatorHarness

/** Rows that are sent, and what leaves when all is processed. */
final case class Step(rows: Seq[Event], answer: Seq[String])

/**
 * Sliding windows step by step: what is sent in each step, and what leaves. With frames and by
 * Spark's plan, and with frames and a restart before each step; `FrameProperties` runs on each kind
 * of state store.
 */
trait FrameScenarioTest extends FrameTest {

  def send(rows: Event*): Sending = new Sending(rows)

  final class Sending(rows: Seq[Event]) {
    def gives(answer: String*): Step = Step(rows, answer.sorted)
    def givesNothing: Step = gives()
  }

  /**
   * @param late
   *   how many rows are late, over all steps
   * @param frames
   *   whether the plan has frames
   */
  def scenario(
      title: String,
      late: Long = 0,
      frames: Boolean = true,
      settings: Map[String, String] = Map.empty
  )(query: DataFrame => DataFrame)(steps: => Seq[Step]): Unit = {
    test(title) {
      withConf(settings.toSeq: _*) {
        Seq(true, false).foreach(uninterrupted(query, steps, late, frames, _))
        onOne(restarted(query, steps))
      }
    }
  }

  /** The same in a stream, with a restart in the middle. */
  def streamed(title: String)(query: DataFrame => DataFrame)(steps: => Seq[Step]): Unit = {
    scenario(title)(query)(steps)
    test(s"$title, in a stream") {
      on(StateStoreKind.changelog)(withFrames(enabled = true) {
        val in = events()
        val run = new Run(query(in.toDF())).start()
        steps.zipWithIndex.foreach { case (step, i) =>
          if (i == (steps.size + 1) / 2) run.restart()
          in.addData(step.rows)
          run.settle()
          withClue(s"step $i: ")(assert(run.take() === step.answer))
        }
        assertFrames(run.query)
        run.stop()
      })
    }
  }

  private def uninterrupted(
      query: DataFrame => DataFrame,
      steps: Seq[Step],
      late: Long,
      frames: Boolean,
      enabled: Boolean
  ): Unit =
    withFrames(enabled) {
      val in = feed()
      val run = harness(query(in.toDF())).start()
      withClue(if (enabled) "with frames: " else "by Spark's plan: ") {
        steps.zipWithIndex.foreach { case (step, i) => check(run, in, step, i) }
        assert(run.lateRows.values.sum === late)
      }
      if (enabled && frames) assertFrames(run)
    }

  private def restarted(query: DataFrame => DataFrame, steps: Seq[Step]): Unit =
    withFrames(enabled = true) {
      val in = feed()
      val run = harness(query(in.toDF()))
      steps.zipWithIndex.foreach { case (step, i) =>
        run.restart()
        withClue("with restarts: ")(check(run, in, step, i))
      }
    }

  private def check(
      run: OperatorHarness,
      in: Feed[Event],
      step: Step,
      i: Int
  ): Unit = {
    in.addData(step.rows)
    run.settle()
    withClue(s"step $i: ")(assert(run.take() === step.answer))
    ()
  }

  /** With a watermark without a lag, of the whole stream. */
  def ordered(rows: DataFrame): DataFrame = rows.withKeyedWatermark("time", "0 seconds")

  /** With a watermark that waits for the slowest of the substreams. */
  def orderedBySub(rows: DataFrame): DataFrame =
    rows.withKeyedWatermark("time", "0 seconds", substream = Seq("sub"))

  /** Windows of 10 seconds, every 5 seconds. */
  val tens: Column = window(col("time"), "10 seconds", "5 seconds")

  /** A query in SQL over the view `o`. */
  def sql(text: String)(rows: DataFrame): DataFrame = {
    ordered(rows).createOrReplaceTempView("o")
    spark.sql(text)
  }

  val hop: String = "HOP(TABLE(o), DESCRIPTOR(time), 10 seconds, 5 seconds)"
}
