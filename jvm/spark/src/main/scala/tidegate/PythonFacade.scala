package tidegate

import java.util.{List => JList}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.streaming.StreamingQuery
import org.apache.spark.sql.{DataFrame, Dataset, Row}

/** Everything that the Python package calls, over py4j. */
final class PythonFacade {

  /** See the method of the same name on Datasets; null stands for an argument that is left out. */
  def withKeyedWatermark(
      df: Dataset[Row],
      eventTime: String,
      key: Int,
      policy: String,
      policyArguments: JList[String],
      substream: JList[String],
      idleTimeout: String,
      emission: String,
      emissionArguments: JList[String],
      name: String,
      maxFutureSkew: String
  ): DataFrame =
    KeyedWatermarks.add(
      df,
      eventTime,
      key,
      PolicySpec.of(policy, policyArguments.asScala.toSeq),
      substream.asScala.toSeq,
      Option(idleTimeout),
      Option(emission).map(EmissionSpec.of(_, emissionArguments.asScala.toSeq)),
      Option(name),
      Option(maxFutureSkew)
    )

  /** The watermarks of a query by node name, as JSON; times in epoch ms. */
  def watermarks(query: StreamingQuery): String = QueryWatermarks.json(query)
}
