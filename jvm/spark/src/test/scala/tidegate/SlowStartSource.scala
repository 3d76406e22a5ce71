package tidegate

import org.apache.spark.sql.SQLContext
import org.apache.spark.sql.execution.streaming.Source
import org.apache.spark.sql.sources.StreamSourceProvider
import org.apache.spark.sql.types.StructType

/**
 * A source of events that a query cannot start with: it does what the test wants, and has no rows.
 */
final class SlowStartSource extends StreamSourceProvider {

  override def sourceSchema(
      context: SQLContext,
      schema: Option[StructType],
      name: String,
      parameters: Map[String, String]
  ): (String, StructType) = "slow" -> StructType.fromDDL("time TIMESTAMP, n INT")

  override def createSource(
      context: SQLContext,
      metadataPath: String,
      schema: Option[StructType],
      name: String,
      parameters: Map[String, String]
  ): Source = {
    SlowStartSource.onStart()
    throw new IllegalStateException("the source is made to fail")
  }
}

object SlowStartSource {
  @volatile var onStart: () => Unit = () => ()
}
