package tidegate
package own.windows

import java.sql.Timestamp

import org.apache.spark.sql.{AnalysisException, DataFrame, Row}
import org.json4s._
import org.json4s.jackson.JsonMethods
import tidegate.core.Scenarios._
import tidegate.own.OperatorHarness

/**
 * Runs `tests/scenarios/sliding_window.json` as queries with `HOP`: each step is a batch. A
 * watermark is set by a row that a filter after the watermark node removes; a number is a time in
 * seconds.
 *
 * In the scenarios a row is late if its frame is; here if all its windows are closed. What is saved
 * and restored there is the state of Spark here: the query is started again before each step.
 */
class SlidingWindowScenarioSuite extends FrameTest {
  import SlidingWindowScenarioSuite._

  private val scenarios = (load("sliding_window") \ "cases").children

  for {
    scenario <- scenarios
    name = text(scenario \ "name")
    if name != lateInSomeWindows && operations(scenario).subsetOf(Set("event", "wm"))
  } test(name)(onOne(run(scenario)))

  test("a row whose frame is closed is still in its windows that are open") {
    val scenario = scenarios.find(s => text(s \ "name") == lateInSomeWindows).get
    val late = (scenario \ "steps").children.filter(_ \ "expect" \ "late" == JBool(true))
    assert(late.map(step => time(step \ "do" \ "ts")) === Seq(45, 49))
    val more = scenario.transform {
      // Both windows get these rows too; the one that begins at 50 does not.
      case JObject(fields) if fields.contains("start" -> JInt(30)) => with3(fields)
      case JObject(fields) if fields.contains("start" -> JInt(40)) => with3(fields)
      case JObject(List(("late", _))) => JObject("late" -> JBool(false))
    }
    onOne(run(more))
  }

  private def with3(fields: List[JField]): JValue =
    JObject(fields.filterNot(_._1 == "result") :+ ("result" -> JInt(3)))

  private def operations(scenario: JValue): Set[String] =
    (scenario \ "steps").children.map(step => text(step \ "do" \ "op")).toSet

  private def run(scenario: JValue): Unit =
    scenario \ "expect_construct" \ "error" match {
      case JString("size_not_multiple_of_slide") =>
        val error = intercept[AnalysisException](windows(feed().toDF(), scenario \ "given"))
        assert(error.getCondition === "TIDEGATE_HOP_SLIDE")
      case _ =>
        for (enabled <- Seq(true, false))
          withFrames(enabled) {
            val scene = new Scene(scenario \ "given")
            (scenario \ "steps").children.foreach { step =>
              withClue(s"frames $enabled, ${JsonMethods.compact(step)}: ") {
                scene.check(step \ "do", step \ "expect")
              }
            }
            if (enabled && isSliding(scenario \ "given")) assertFrames(scene.run)
          }
    }

  private def isSliding(setup: JValue): Boolean = time(setup \ "size") > time(setup \ "slide")

  private def windows(rows: DataFrame, setup: JValue): DataFrame = {
    rows
      .withKeyedWatermark(
        "time",
        s"$lagSeconds seconds",
        emission = byMinStep("1 millisecond"),
        name = "ticks"
      )
      .where(s"sub <> '$tick'")
      .createOrReplaceTempView("o")
    val aggregate = setup \ "aggregate" match {
      case JString("count") => "count(*)"
      case _                => "sum(n)"
    }
    val offset = optionalTime(setup \ "offset").fold("")(s => s", $s seconds")
    spark.sql(s"""
      SELECT window_start, window_end, sub, $aggregate
      FROM HOP(TABLE(o), DESCRIPTOR(time), ${time(setup \ "size")} seconds,
               ${time(setup \ "slide")} seconds$offset)
      GROUP BY window_start, window_end, sub""")
  }

  private final class Scene(setup: JValue) {
    private val in = feed()
    val run: OperatorHarness = harness(windows(in.toDF(), setup))

    def check(step: JValue, expect: JValue): Unit = {
      run.restart()
      in.addData(rowOf(step))
      run.settle()
      val late = if (text(step \ "op") == "event" && flag(expect \ "late")) 1 else 0
      assert(run.lateRows.values.sum === late)
      val (marks, rows) = (expect \ "out").children.partition(o => (o \ "wm") != JNothing)
      assert(run.rows.map(found).toSet === rows.map(expected).toSet)
      run.clear()
      marks.foreach(m => assert(run.watermark("ticks").map(number) === Some(time(m \ "wm"))))
    }
  }
}

object SlidingWindowScenarioSuite {

  /** The only scenario with a row that is late for some of its windows. */
  private val lateInSomeWindows =
    "no event before the first watermark: emission starts after that watermark"

  private val tick = "tick"

  /** So long that the rows themselves never close a window. */
  private val lagSeconds = 1000000L

  /** Where windows of every size begin. */
  private val originSeconds = 60000000L

  private def timestamp(number: Long): Timestamp = new Timestamp((number + originSeconds) * 1000)

  private def number(ms: Long): Long = ms / 1000 - originSeconds

  private def rowOf(step: JValue): Event = text(step \ "op") match {
    case "event" =>
      Event(text(step \ "key"), timestamp(time(step \ "ts")), time(step \ "value").toInt)
    case "wm" => Event(tick, timestamp(time(step \ "value") + lagSeconds), 0)
  }

  /** Start, end, key and result. */
  private def found(row: Row): Seq[Any] = Seq(
    number(row.getTimestamp(0).getTime),
    number(row.getTimestamp(1).getTime),
    row.getString(2),
    row.getLong(3)
  )

  private def expected(window: JValue): Seq[Any] = Seq(
    time(window \ "start"),
    time(window \ "end"),
    text(window \ "key"),
    time(window \ "result")
  )
}
