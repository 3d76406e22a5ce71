package tidegate

import org.apache.spark.sql.streaming.DataStreamReader

/** Sources that have names in Spark. */
object NamedSources {
  val areThere: Boolean = true

  def named(reader: DataStreamReader, name: String): DataStreamReader = reader.name(name)
}
