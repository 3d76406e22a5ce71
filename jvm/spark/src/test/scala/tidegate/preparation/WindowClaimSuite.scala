package tidegate.preparation

import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Project}
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.tidegate.SparkInternals
import org.apache.spark.sql.types.{Metadata, MetadataBuilder}
import tidegate._
import tidegate.own.windows.Windows

class WindowClaimSuite extends KeyedStreamTest {

  private val keyed = SparkInternals.analyzed(
    events()
      .toDF()
      .withColumn("time2", col("time"))
      .withKeyedWatermark("time", "0 seconds")
      .withKeyedWatermark("time2", "0 seconds", key = 1)
  )

  /** An aggregation by the times of the stream, whose columns get other metadata. */
  private def byTimes(metadata: Metadata => Metadata): LogicalPlan = {
    val times = keyed.output
      .filter(_.name.startsWith("time"))
      .map(a => Alias(a, a.name)(explicitMetadata = Some(metadata(a.metadata))))
    val keys = times.map(_.toAttribute)
    Aggregate(keys, keys, Project(times, keyed))
  }

  test("two times to choose from: an error when the query starts, but not of its explanation") {
    val plan = byTimes(identity)
    assert(plan.collect { case node if Windows.claim(node).isDefined => node } === Nil)
  }

  test("a bug is told, and not taken for a plan without frames") {
    def withTextAsKey(metadata: Metadata) = new MetadataBuilder()
      .withMetadata(metadata)
      .putString("tidegate.watermarkKey", "one")
      .build()
    intercept[ClassCastException](Windows.claim(byTimes(withTextAsKey)))
  }
}
