package tidegate.planning

import java.util.UUID

import org.apache.hadoop.conf.Configuration
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.execution.streaming.state.{
  OperatorStateMetadata,
  StateSchemaValidationResult
}
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy, UnaryExecNode}
import org.apache.spark.sql.streaming.StreamingQueryException
import org.apache.spark.sql.tidegate.{SparkInternals, StateStoreWriter, StatefulOperatorStateInfo}
import org.apache.spark.sql.{AnalysisException, DataFrame}
import tidegate._

/** A stateful operator that neither Spark nor Tidegate has. */
final case class Remember(child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  override protected def withNewChildInternal(newChild: LogicalPlan): Remember =
    copy(child = newChild)
}

final case class RememberExec(child: SparkPlan) extends UnaryExecNode with StateStoreWriter {
  override def output: Seq[Attribute] = child.output

  override def shortName: String = "remember"

  override val stateInfo: Option[StatefulOperatorStateInfo] =
    Some(new StatefulOperatorStateInfo("unused", new UUID(0, 0), 77, 0, 1, None, None))

  override def validateAndMaybeEvolveStateSchema(
      hadoopConf: Configuration,
      batchId: Long,
      stateSchemaVersion: Int
  ): List[StateSchemaValidationResult] = Nil

  override def stateSchemaList(
      stateSchemaValidationResults: List[StateSchemaValidationResult],
      oldMetadata: Option[OperatorStateMetadata]
  ): List[List[String]] = List(Nil)

  override protected def doExecute(): RDD[InternalRow] = child.execute()

  override protected def withNewChildInternal(newChild: SparkPlan): RememberExec =
    copy(child = newChild)
}

object RememberStrategy extends SparkStrategy {
  override def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case r: Remember => Seq(RememberExec(planLater(r.child)))
    case _           => Nil
  }
}

/** Stateful operators that Tidegate does not know. */
class UnknownOperatorSuite extends KeyedStreamTest {

  private def remember(df: DataFrame): DataFrame =
    SparkInternals.withPlan(df, Remember(SparkInternals.analyzed(df)))

  private def withStrategy(body: => Unit): Unit = {
    val before = spark.experimental.extraStrategies
    spark.experimental.extraStrategies = before :+ RememberStrategy
    try body
    finally spark.experimental.extraStrategies = before
  }

  test("over a keyed watermark it is refused before it runs, by its class")(withStrategy {
    val in = events()
    val keyed = in.toDF().withKeyedWatermark("time", "1 second", name = "orders")
    val run = new Run(remember(keyed.where("n > 0"))).start()
    in.addData(event("a", 5))
    val error = intercept[StreamingQueryException](run.settle())
    val refused = Iterator
      .iterate[Throwable](error)(_.getCause)
      .takeWhile(_ != null)
      .collectFirst { case e: AnalysisException => e }
      .get
    assert(refused.getCondition === "TIDEGATE_UNKNOWN_STATEFUL_OPERATOR")
    assert(
      refused.getMessage === "[TIDEGATE_UNKNOWN_STATEFUL_OPERATOR] The query has the stateful " +
        "operator tidegate.planning.RememberExec over the keyed watermark `orders`, but Tidegate " +
        "does not know this operator and cannot give it a watermark: its state would never be " +
        "cleaned up. Use one of the known operators: `aggregate`, `distinct`, `deduplicate`, " +
        "`deduplicateWithinWatermark`, `flatMapGroupsWithState`, `applyInPandasWithState`, " +
        "`transformWithState`, `transformWithStateInPandas`, `join`, `asOfJoin`, `orderByEventTime`, " +
        "`over`, `limit`. SQLSTATE: 0A000"
    )
    assert(run.batchCount === 0)
  })

  test("elsewhere it runs: without a watermark, and beside a keyed stream")(withStrategy {
    val (in, other) = (events(), events())
    val keyed = other.toDF().withKeyedWatermark("time", "1 second")
    // The operator of the test has no store that it could commit.
    withConf("spark.sql.streaming.stateStore.commitValidation.enabled" -> "false") {
      val run = new Run(remember(in.toDF()).union(keyed).select("sub")).start()
      in.addData(event("a", 5))
      other.addData(event("b", 5))
      run.settle()
      assert(run.answer === Seq("a", "b"))
    }
  })

  test("a limit needs no watermark") {
    val in = events()
    val run = new Run(in.toDF().withKeyedWatermark("time", "1 second").select("n").limit(2)).start()
    in.addData(event("a", 5, 1), event("a", 6, 2), event("a", 7, 3))
    run.settle()
    assert(run.rows.size === 2)
  }
}
