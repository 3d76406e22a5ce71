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

  val names: Set[String] = all.map(_.name).toSet

  def list: String = all.map(_.name).mkString(", ")

  /** The modes that a list such as `own, slowest` names; `None` if one of them is unknown. */
  def parse(text: String): Option[Set[String]] =
    Some(text.split(",").map(_.trim).toSet).filter(_.subsetOf(names))
}
