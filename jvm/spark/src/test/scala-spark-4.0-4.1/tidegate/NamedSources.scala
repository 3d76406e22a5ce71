package tidegate

import org.apache.spark.sql.streaming.DataStreamReader

/** Sources have no names in these versions of Spark. */
object NamedSources {
  val areThere: Boolean = false

  def named(reader: DataStreamReader, name: String): DataStreamReader =
    throw new UnsupportedOperationException(s"a source with the name $name")
}
