package tidegate.request

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
  def policy(name: String, durations: Seq[String]): PolicySpec = (name, durations) match {
    case (PolicySpec.IngestionTime, Seq(lag)) => named(name, Seq(lag, Defaults.MaxIdleLag))
    case _                                    => named(name, durations)
  }

  private def named(name: String, durations: Seq[String]): PolicySpec =
    PolicySpec.arguments(name).filter(_.size == durations.size) match {
      case Some(arguments) =>
        PolicySpec(
          name,
          arguments.zip(durations).map { case (argument, text) =>
            Durations.parseMs(argument, text, smallestMs = 0)
          }
        )
      case None =>
        throw PolicyErrors.unknownPolicy(
          "watermark policy",
          name,
          written(name, durations),
          PolicySpec.names
        )
    }

  /**
   * An emission policy by its name: `byFrame(size [, offset])` or `byMinStep(step)`.
   *
   * @throws AnalysisException
   *   if no emission has that name and number of arguments, or if a duration cannot be read or is
   *   below 1 ms
   */
  def emission(name: String, durations: Seq[String]): EmissionSpec = (name, durations) match {
    case ("byFrame", Seq(size))         => byFrame(size, "0 seconds")
    case ("byFrame", Seq(size, offset)) => byFrame(size, offset)
    case ("byMinStep", Seq(step))       =>
      EmissionSpec.byMinStep(Durations.parseMs("step", step, smallestMs = 1))
    case _ =>
      throw PolicyErrors.unknownPolicy(
        "emission",
        name,
        written(name, durations),
        EmissionSpec.names
      )
  }

  private def byFrame(size: String, offset: String): EmissionSpec =
    EmissionSpec.byFrame(
      Durations.parseMs("size", size, smallestMs = 1),
      Durations.parseMs("offset", offset, smallestMs = Long.MinValue)
    )

  private def written(name: String, durations: Seq[String]): String =
    durations.map(d => s"'$d'").mkString(s"$name(", ", ", ")")
}
