package tidegate.planning

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.functions._
import org.apache.spark.sql.streaming.OutputMode
import tidegate.SparkClasses.{StateStoreSaveExec, StreamingDeduplicateExec}
import tidegate._
import tidegate.core.clock.OperatorBatch
import tidegate.execution.{DropLateExec, FindDropLate, KeyedOperatorExec, LateOrigin}
import tidegate.own.windows.FrameTest
import tidegate.plans.OperatorName
import tidegate.settings.Settings
import tidegate.statistics.LateRows

/** Which late rows belong to which stateful operator. */
class OperatorNamesSuite extends KeyedStreamTest {

  private lazy val rows: SparkPlan =
    spark
      .range(1)
      .select(col("id"), timestamp_seconds(col("id")).as("time"))
      .queryExecution
      .sparkPlan

  private def time: Attribute = rows.output.last

  private def drop(child: SparkPlan, kind: String, name: String): DropLateExec = DropLateExec(
    child,
    time,
    name,
    OperatorName(kind, name, default = name),
    0,
    () => OperatorBatch.none,
    None,
    None,
    None,
    LateOrigin(name, Nil, None),
    isInclusive = false,
    new LateRows
  )

  private def owner(operator: SparkPlan): Option[String] = FindDropLate.owner(operator).map(_.name)

  test("what drops the rows of another operator is not taken for an operator's own") {
    val ofAggregate = drop(rows, "aggregate", "aggregate")
    assert(owner(StreamingDeduplicateExec(Seq(time), ofAggregate)) === None)
    val both = drop(drop(rows, "deduplicate", "deduplicate-2"), "aggregate", "aggregate")
    assert(owner(StreamingDeduplicateExec(Seq(time), both)) === Some("deduplicate-2"))
    assert(
      owner(StateStoreSaveExec(Seq(time), stateFormatVersion = 2, child = both)) === Some(
        "aggregate"
      )
    )
    assert(owner(StreamingDeduplicateExec(Seq(time), rows)) === None)
  }

  test("an operator does not look behind another one") {
    val inner = StreamingDeduplicateExec(Seq(time), drop(rows, "deduplicate", "deduplicate"))
    assert(owner(inner) === Some("deduplicate"))
    assert(owner(StreamingDeduplicateExec(Seq(time), inner)) === None)
  }

  /** The bound operators of a query, from the top, and the name that each has got. */
  private def bound(run: Run): Seq[(String, String)] =
    FrameTest.planOf(run.query).collect { case k: KeyedOperatorExec =>
      k.child.getClass.getSimpleName -> k.times().map(_.takeWhile(_ != ':')).mkString(" ")
    }

  private def runOf(df: => org.apache.spark.sql.DataFrame, mode: OutputMode = OutputMode.Append()) =
    new Run(df, mode = mode).start().settle()

  /** The classes of operators that Tidegate has as well as Spark. */
  private case class Operators(title: String, deduplication: String, join: String, own: Boolean)

  /** With our operators, and with Spark's. */
  private def named(title: String)(body: Operators => Unit): Unit =
    for (
      operators <- Seq(
        Operators("ours", "DeduplicateByTimeExec", "IntervalJoinExec", own = true),
        Operators(
          "Spark's",
          "StreamingDeduplicateExec",
          "StreamingSymmetricHashJoinExec",
          own = false
        )
      )
    )
      test(s"$title: ${operators.title}") {
        withConf(
          Settings.DeduplicationEnabled.key -> operators.own.toString,
          Settings.JoinEnabled.key -> operators.own.toString
        )(body(operators))
      }

  named("two operators in one stage, without an exchange between them") { operators =>
    val in = events()
    in.addData(event("a", 5))
    val run = runOf(
      in.toDF()
        .withKeyedWatermark("time", "1 second")
        .dropDuplicates("time")
        .groupBy("time")
        .count()
    )
    assert(
      bound(run) === Seq(
        "StateStoreSaveExec" -> "aggregate",
        operators.deduplication -> "deduplicate"
      )
    )
  }

  named("an operator that keeps late rows takes none from the operator below it") { operators =>
    val in = events()
    in.addData(event("a", 5))
    val run = runOf(
      in.toDF()
        .withKeyedWatermark("time", "1 second")
        .dropDuplicates("time")
        .groupBy("time")
        .count(),
      OutputMode.Complete()
    )
    assert(bound(run) === Seq(operators.deduplication -> "deduplicate"))
  }

  named("operators in the branches of a union, and one above it") { operators =>
    val (l, r) = (events(), events())
    l.addData(event("a", 5))
    r.addData(event("a", 5))
    def firsts(in: org.apache.spark.sql.DataFrame, name: String) =
      in.withKeyedWatermark("time", "1 second", name = name).dropDuplicates("time")
    val run = runOf(firsts(l.toDF(), "l").union(firsts(r.toDF(), "r")).groupBy("time").count())
    assert(
      bound(run) === Seq(
        "StateStoreSaveExec" -> "aggregate",
        operators.deduplication -> "deduplicate",
        operators.deduplication -> "deduplicate-2"
      )
    )
  }

  named("the sides of a stream that is joined with itself, and operators below them") { operators =>
    val in = events()
    in.addData(event("a", 5))
    val keyed = in.toDF().withKeyedWatermark("time", "1 second").dropDuplicates("time", "n")
    val run = runOf(
      keyed
        .as("l")
        .join(keyed.as("r"), expr("l.n = r.n AND l.time = r.time"))
        .select(col("l.time"), col("l.n"))
        .dropDuplicates("time")
    )
    assert(
      bound(run) === Seq(
        operators.deduplication -> "deduplicate-3",
        operators.join -> "join.left join.right",
        operators.deduplication -> "deduplicate",
        operators.deduplication -> "deduplicate-2"
      )
    )
  }

  named("joins of joins") { operators =>
    def stream(i: Int) = {
      val in = events()
      in.addData(event("a", 5))
      in.toDF()
        .select(col("n").as(s"n$i"), col("time").as(s"time$i"))
        .withKeyedWatermark(s"time$i", "1 second", key = i)
    }
    val run = runOf(
      stream(0)
        .join(stream(1), expr("n0 = n1 AND time0 = time1"))
        .join(stream(2), expr("n1 = n2 AND time1 = time2"))
        .where("n0 > 0")
    )
    assert(
      bound(run) === Seq(
        operators.join -> "join-2.left join-2.right",
        operators.join -> "join.left join.right"
      )
    )
  }
}
