/** The only list of Spark versions: one jar is built per Spark minor version. */
object SparkVersions {
  final case class SparkLine(minor: String, full: String)

  /** The Spark line that is built. A new line is one more entry here and one more source folder
    * `jvm/spark/src/main/scala-spark-<minor>` with the same files as the others. */
  val all: Seq[SparkLine] = Seq(SparkLine(minor = "4.2", full = "4.2.0"))
  val default: SparkLine = all.head
}
