package tidegate
package operators

import java.sql.Timestamp

import org.apache.spark.sql.catalyst.plans.logical.Join
import org.apache.spark.sql.functions._
import org.apache.spark.sql.tidegate.SparkInternals
import org.apache.spark.sql.{AnalysisException, Column, DataFrame, Encoder, Row}
import org.json4s._
import org.json4s.jackson.JsonMethods
import tidegate.SparkClasses.MemoryStream
import tidegate.core.Scenarios._
import tidegate.core.clock.{ClockState, InputTime, NodeMark, QueryClock}
import tidegate.operators.{JoinLimits, KeyedTimes}

/**
 * Runs `tests/scenarios/join.json` as streaming queries: each step is a batch. A watermark is set
 * by a row that a filter after the watermark node removes; a number is a time in seconds.
 */
class JoinScenarioSuite extends RestartTest {
  import JoinScenarioSuite._

  for {
    scenario <- (load("join") \ "cases").children
    if (scenario \ "given" \ "type").toOption.isDefined
  } onBothStores(text(scenario \ "name"))(run(scenario))

  private def run(scenario: JValue): Unit = scenario \ "expect_construct" \ "error" match {
    case JString("bounds_not_both_ways") =>
      withConf("spark.tidegate.join.unbounded" -> "error") {
        val error = intercept[AnalysisException](new Scenario(scenario \ "given").start())
        assert(error.getCondition === "TIDEGATE_JOIN_UNBOUNDED")
      }
    case _ =>
      val join = new Scenario(scenario \ "given").start()
      (scenario \ "steps").children.foreach { step =>
        withClue(s"${JsonMethods.compact(step)}: ")(join.check(step \ "do", step \ "expect"))
      }
  }

  private final class Scenario(setup: JValue) {
    private val sides = Seq("left", "right").map(new Side(_, setup))
    private val run = new Run(joined)

    def start(): this.type = {
      run.start()
      this
    }

    private def joined: DataFrame = {
      val (left, right) = (sides.head.frame, sides.last.frame)
      val how = text(setup \ "type") match {
        case outer @ ("left" | "right" | "full") => s"${outer}outer"
        case other                               => other
      }
      // Spark joins streams on equal columns only.
      val same = left("same") === right("same")
      left.join(right, bounds.foldLeft(same)(_ && _), how).drop("same")
    }

    /** `postpone[a][b] = c` is the bound `b >= a - c`. */
    private def bounds: Seq[Column] = for {
      (a, limits) <- fields(setup \ "postpone")
      (b, by) <- fields(limits)
    } yield column(b) >= column(a) - expr(s"interval ${time(by)} seconds")

    private def column(key: String): Column =
      col(sides.find(_.columnOfKey.contains(key)).get.columnOfKey(key))

    def check(step: JValue, expect: JValue): Unit = {
      sides(time(step \ "input").toInt).send(step)
      run.settle()
      val (marks, rows) = (expect \ "out").children.partition(_.isInstanceOf[JObject])
      assert(run.rows.map(found).toSet === rows.map(expected).toSet)
      run.clear()
      marks.foreach(m => watermarks(time(m \ "wm_key").toByte) = time(m \ "wm"))
      val keys = sides.flatMap(_.columnOfKey.keys.map(_.toByte))
      assert(keys.flatMap(k => out(k).map(k -> _)).toMap === watermarks.toMap)
      assert(
        keys.flatMap(k => limit(k).map(k -> _)).toMap ===
          fields(expect \ "join_limits").flatMap { case (k, v) =>
            optionalTime(v).map(k.toByte -> _)
          }.toMap
      )
      Seq("left", "right").foreach { side =>
        val buffer = (expect \ s"${side}_buffer").children.map(expected).toSet
        assert(stored(side) === buffer, s"in the $side buffer")
      }
    }

    private val watermarks = scala.collection.mutable.Map.empty[Byte, Long]

    private def join =
      SparkInternals.execution(run.query).get.logicalPlan.collectFirst { case j: Join => j }.get

    /** The watermark that leaves the join. */
    private def out(key: Byte): Option[Long] = KeyedTimes.of(join).get(key).flatMap(now)

    private def limit(key: Byte): Option[Long] =
      join.children
        .find(KeyedTimes.of(_).contains(key))
        .flatMap(new JoinLimits(join, new KeyedTimes).ofKey(_, key).headOption)
        .flatMap(now)

    private def now(input: InputTime): Option[Long] = {
      val marks = run.running.figures.watermarks.transform { (_, w) =>
        NodeMark(w.key.toByte, w.watermarkMs, w.idle)
      }
      val state = ClockState.empty.copy(nodes = marks)
      QueryClock.timeIn(run.running.spec, state, input).watermarkMs.map(number).filter(_ >= 0)
    }

    /** What the state holds, by Spark's reader. */
    private def stored(side: String): Set[Seq[Option[Long]]] = {
      val checkpoint = run.checkpoint.toString
      val rows =
        if (OwnJoins.idsIn(spark, checkpoint).nonEmpty)
          // A row of ours may stay until its key is looked at, but finds no partner.
          sides(if (side == "left") 0 else 1).columnOfKey.foldLeft(
            OwnJoins.rows(spark, checkpoint, side)
          ) { case (rows, (key, name)) =>
            limit(key.toByte).fold(rows)(l => rows.where(col(name) >= lit(timestamp(l))))
          }
        else
          spark.read
            .format("statestore")
            .option("joinSide", side)
            .load(checkpoint)
            .select("value.*")
      rows
        .drop("same", "matched", "marker")
        .collect()
        .map(found)
        .toSet
    }
  }

  /** One input: its columns, of which some are times with a key. */
  private final class Side(name: String, setup: JValue) {
    private val columns =
      (0L until time(setup \ s"${name}_columns")).map(i => s"${name}_$i")
    val columnOfKey: Map[String, String] =
      fields(setup \ s"${name}_time_columns").map { case (k, i) =>
        k -> columns(time(i).toInt)
      }.toMap
    private val stream = MemoryStream[Input](Input.encoder, spark)

    def frame: DataFrame = {
      val all: DataFrame = stream
        .toDF()
        .select(
          columns.indices.map(i => col("times")(i).as(columns(i))) :+ col("marker") :+
            lit(1).as("same"): _*
        )
      columnOfKey.toSeq
        .foldLeft(all) { case (df, (key, column)) =>
          df.withKeyedWatermark(
            column,
            s"$lagSeconds seconds",
            key.toInt,
            emission = byMinStep("1 millisecond"),
            name = s"key $key"
          )
        }
        .filter(!col("marker"))
        .drop("marker")
    }

    def send(step: JValue): Unit = text(step \ "op") match {
      case "row" =>
        val row = (step \ "row").children.map(v => Option(timestamp(time(v))))
        stream.addData(Input(row, marker = false))
      case "wm" =>
        val column = columnOfKey(time(step \ "key").toString)
        val value = timestamp(time(step \ "value") + lagSeconds)
        stream.addData(Input(columns.map(c => Option.when(c == column)(value)), marker = true))
    }
  }
}

object JoinScenarioSuite {

  /** So long that the rows themselves never move the watermark to any of their times. */
  private val lagSeconds = 1000000L

  private val originSeconds = -50L

  final case class Input(times: Seq[Option[Timestamp]], marker: Boolean)

  object Input {
    val encoder: Encoder[Input] = org.apache.spark.sql.Encoders.product[Input]
  }

  private def timestamp(number: Long): Timestamp = new Timestamp((number + originSeconds) * 1000)

  private def number(ms: Long): Long = ms / 1000 - originSeconds

  private def found(row: Row): Seq[Option[Long]] =
    row.toSeq.collect {
      case t: Timestamp => Some(number(t.getTime))
      case null         => None
    }

  private def expected(row: JValue): Seq[Option[Long]] = row.children.map(optionalTime)
}
