package tidegate

import org.apache.spark.sql.SparkSessionExtensions

/**
 * The entry point: `spark.sql.extensions=tidegate.TidegateExtensions`.
 *
 * Example: `spark-submit --jars tidegate.jar --conf
 * spark.sql.extensions=tidegate.TidegateExtensions app.py`.
 */
final class TidegateExtensions extends (SparkSessionExtensions => Unit) {

  /**
   * @throws SparkException
   *   if the jar is for another version of Spark
   */
  override def apply(extensions: SparkSessionExtensions): Unit = {
    // First, and from here alone: on another Spark the other classes may not even load.
    SparkMatch.check()
    Injections.into(extensions)
  }
}
