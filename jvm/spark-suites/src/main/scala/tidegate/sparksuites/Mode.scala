package tidegate.sparksuites

/**
 * A way to run Spark's suites: the settings that their sessions find among the system properties.
 */
private[sparksuites] final case class Mode(name: String, settings: Map[String, String])

private[sparksuites] object Mode {
  private val Extension = Map("spark.sql.extensions" -> "tidegate.TidegateExtensions")

  private def replacing(lateness: String) = Mode(
    lateness,
    Extension ++ Map(
      "spark.tidegate.replaceWithWatermark" -> "true",
      // Some suites continue from checkpoints of earlier versions of Spark.
      "spark.tidegate.adoptCheckpoint" -> "true",
      "spark.tidegate.lateness" -> lateness
    )
  )

  val all: Seq[Mode] = Seq(Mode("extension", Extension), replacing("slowest"), replacing("own"))
}
