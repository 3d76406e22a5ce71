package tidegate
package execution

import org.apache.spark.SparkEnv
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.functions._
import tidegate.builders.Between
import tidegate.execution.frames.FrameTest

/** What the operators with a store of their own send to their tasks. */
class OneStoreSuite extends KeyedStreamTest {

  private def keyed(time: String, key: Int): DataFrame = {
    val in = events()
    in.addData(event("a", 5))
    in.toDF()
      .withColumnRenamed("time", time)
      .withKeyedWatermark(time, "1 second", key, substream = Seq("sub"))
  }

  private def one: DataFrame = keyed("time", 0)

  Seq(
    "FrameAggregateExec" -> (() => one.groupBy(window(col("time"), "10 seconds")).count()),
    "SessionAggregateExec" -> (() =>
      one.groupBy(session_window(col("time"), "10 seconds"), col("n")).count()
    ),
    "DeduplicateByTimeExec" -> (() => one.dropDuplicates("time")),
    "EventTimeOrderExec" -> (() => one.orderByEventTime().toDF()),
    "IntervalJoinExec" -> (() =>
      one.streamJoin(
        keyed("later", 1),
        Seq("n"),
        "inner",
        Between("later", "time", "0 seconds", "10 seconds")
      )
    )
  ).foreach { case (name, query) =>
    test(s"$name: its tasks get the operator without the plan below it") {
      val run = new Run(query()).start().settle()
      val operators = FrameTest.planOf(run.query).collect { case o: OneStoreExec => o }
      assert(operators.map(_.getClass.getSimpleName) === Seq(name))
      val serializer = SparkEnv.get.closureSerializer.newInstance()
      val sent = serializer.deserialize[SparkPlan](serializer.serialize[SparkPlan](operators.head))
      assert(operators.head.children.nonEmpty && !operators.head.children.contains(null))
      assert(sent.children.forall(_ == null))
      assert(sent.metrics.keySet === operators.head.metrics.keySet)
    }
  }
}
