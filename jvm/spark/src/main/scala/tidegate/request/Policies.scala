package tidegate.request

import org.apache.spark.sql.AnalysisException
import tidegate.core.policy.{EmissionSpec, PolicySpec}
import tidegate.errors.PolicyErrors
import tidegate.settings.Defaults

/** Reads policies and emissions, as users write them: a name and durations as texts. */
private[tidegate] object Policies {

  /** The names of the policies in SQL, where ingestion time is also a policy. */
  val sqlNames: Seq[String] = PolicySpec.names :+ PolicySpec.IngestionTime

  /**
   * A policy by its name.
   *
   * @throws AnalysisException
   *   if no policy has that name and number of arguments, or if a duration cannot be read or is
   *   negative
   */
  def policy(name: String, durations: Seq[String]): PolicySpec =
    policy(name, durations, isSql = false)

  /** @param isSql whether an error names the policies as SQL does */
  def policy(name: String, durations: Seq[String], isSql: Boolean): PolicySpec = {
    val lengths = (name, durations) match {
      case (PolicySpec.IngestionTime, Seq(lag)) => Seq(lag, Defaults.MaxIdleLag)
      case _                                    => durations
    }
    PolicySpec.arguments(name).filter(_.size == lengths.size) match {
      case Some(arguments) =>
        PolicySpec(
          name,
          arguments.zip(lengths).map { case (argument, text) =>
            Durations.parseMs(argument, text, smallestMs = 0)
          }
        )
      case None =>
        val known = if (isSql) sqlNames else PolicySpec.names
        throw unknown("watermark policy", name, durations, known, isSql)
    }
  }

  /**
   * An emission policy by its name: `byFrame(size [, offset])` or `byMinStep(step)`.
   *
   * @throws AnalysisException
   *   if no emission has that name and number of arguments, or if a duration cannot be read or is
   *   below 1 ms
   */
  def emission(name: String, durations: Seq[String]): EmissionSpec =
    emission(name, durations, isSql = false)

  /** @param isSql whether an error names the emissions as SQL does */
  def emission(name: String, durations: Seq[String], isSql: Boolean): EmissionSpec =
    (name, durations) match {
      case ("byFrame", Seq(size))         => byFrame(size, "0 seconds")
      case ("byFrame", Seq(size, offset)) => byFrame(size, offset)
      case ("byMinStep", Seq(step))       =>
        EmissionSpec.byMinStep(Durations.parseMs("step", step, smallestMs = 1))
      case _ => throw unknown("emission", name, durations, EmissionSpec.names, isSql)
    }

  private def byFrame(size: String, offset: String): EmissionSpec =
    EmissionSpec.byFrame(
      Durations.parseMs("size", size, smallestMs = 1),
      Durations.parseMs("offset", offset, smallestMs = Long.MinValue)
    )

  private def unknown(
      kind: String,
      name: String,
      durations: Seq[String],
      known: Seq[String],
      isSql: Boolean
  ): AnalysisException = {
    def written(name: String) = if (isSql) SqlNames.of(name) else name
    val found = durations.map(d => s"'$d'").mkString(s"${written(name)}(", ", ", ")")
    PolicyErrors.unknownPolicy(kind, written(name), found, known.map(written))
  }
}
