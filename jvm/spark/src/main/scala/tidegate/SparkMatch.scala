package tidegate

import org.apache.spark.SparkException

/** Whether this jar is for the Spark in which it runs. */
private[tidegate] object SparkMatch {

  /**
   * @param spark
   *   the full version of the Spark that runs
   * @throws SparkException
   *   if this jar is for another one
   */
  def check(spark: String = org.apache.spark.SPARK_VERSION): Unit = {
    // Its text is written here once more: to read that of the condition needs Spark's private API.
    if (!isFor(spark)) throw new SparkException(message(spark, minor(spark)))
  }

  /** Whether this jar is for a Spark, given with its full version. */
  def isFor(spark: String): Boolean = minor(spark) == ThisJar.Spark

  private def minor(spark: String) = spark.split('.').take(2).mkString(".")

  private def message(spark: String, minor: String): String = {
    val found =
      s"[TIDEGATE_OTHER_SPARK] ${jar(ThisJar.Spark)} is for Spark ${ThisJar.Spark}, and " +
        s"this is Spark $spark."
    if (ThisJar.Sparks.contains(minor)) s"$found Use ${jar(minor)} instead."
    else {
      val others = ThisJar.Sparks.init.mkString(", ")
      s"$found Tidegate ${ThisJar.Version} has jars for Spark $others and ${ThisJar.Sparks.last}."
    }
  }

  private def jar(minor: String) = s"tidegate-spark-${minor}_2.13-${ThisJar.Version}.jar"
}
