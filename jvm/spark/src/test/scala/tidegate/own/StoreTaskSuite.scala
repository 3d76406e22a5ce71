package tidegate
package own

import java.io.{ObjectOutputStream, OutputStream}

import scala.collection.mutable

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanHelper
import org.apache.spark.sql.functions._
import org.apache.spark.sql.tidegate.SparkInternals

/** What tasks get of an operator of our own. */
class StoreTaskSuite extends RestartTest with AdaptiveSparkPlanHelper {

  private val hour = expr("INTERVAL 1 HOUR")

  private def keyed(in: DataFrame): DataFrame =
    in.withKeyedWatermark("time", "0 seconds", substream = Seq("sub"))

  Seq[(String, DataFrame => DataFrame)](
    "windows" -> (keyed(_).groupBy(col("n"), window(col("time"), "10 seconds")).count()),
    "sessions" -> (keyed(_).groupBy(col("n"), session_window(col("time"), "10 seconds")).count()),
    "deduplication" -> (keyed(_).dropDuplicatesWithinWatermark("n")),
    "order" -> (keyed(_).orderByEventTime(Seq("sub"))),
    "a join" -> { in =>
      val left = keyed(in).select(col("n").as("l"), col("time"))
      val right = in
        .withKeyedWatermark("time", "0 seconds", name = "right")
        .select(col("n").as("r"), col("time").as("other"))
      left.join(
        right,
        col("l") === col("r") && col("time").between(col("other") - hour, col("other"))
      )
    }
  ).foreach { case (name, query) =>
    test(s"tasks do not get the operator, nor the plan below it: $name") {
      val in = events()
      val run = new Run(query(in.toDF())).start()
      in.addData(event("a", 1, 1), event("a", 2, 2))
      run.settle()
      val plan = SparkInternals.execution(run.query).get.lastExecution.executedPlan
      val own = collect(plan) { case p: OwnOperatorExec => p }
      assert(own.size === 1)
      val plans = StoreTaskSuite.plansIn(own.head.execute())
      // Spark's sort, below a join, takes itself and what is below it along.
      val hasSort = own.head.children.exists(_.exists(_.nodeName == "Sort"))
      if (hasSort) assert(!plans.contains(own.head.getClass.getSimpleName), plans)
      else assert(plans === Set("OperatorFigures"))
      run.stop()
    }
  }
}

private object StoreTaskSuite {

  /** The classes of the nodes of plans that go to tasks with an RDD. */
  def plansIn(rdd: RDD[_]): Set[String] = {
    val found = mutable.Set.empty[String]
    val out = new ObjectOutputStream(OutputStream.nullOutputStream()) {
      enableReplaceObject(true)
      override def replaceObject(o: AnyRef): AnyRef = {
        if (o.isInstanceOf[SparkPlan]) found += o.getClass.getSimpleName
        o
      }
    }
    out.writeObject(rdd)
    found.toSet
  }
}
