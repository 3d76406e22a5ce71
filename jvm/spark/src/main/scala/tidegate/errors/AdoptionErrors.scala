package tidegate.errors

import org.apache.spark.sql.AnalysisException
import tidegate.errors.Conditions.{error, list}

/** Errors of a checkpoint that moves between Spark's watermarks and keyed ones. */
object AdoptionErrors {

  def noCheckpoint(location: String): AnalysisException =
    error("NO_CHECKPOINT", "location" -> location)

  def checkpointOfSpark(location: String): AnalysisException =
    error("CHECKPOINT_OF_SPARK", "location" -> location)

  def checkpointOfKeyed(location: String): AnalysisException =
    error("CHECKPOINT_OF_KEYED", "location" -> location)

  def alreadyAdopted(location: String): AnalysisException =
    error("ALREADY_ADOPTED", "location" -> location)

  def nothingToAdopt(): AnalysisException = error("NOTHING_TO_ADOPT")

  def preparedQuery(query: String): AnalysisException =
    error("ADOPTED_QUERY", "query" -> query)

  def queryWithoutPlan(query: String): AnalysisException =
    error("ADOPTED_WITHOUT_PLAN", "query" -> query)

  def otherSources(location: String, found: Int, wanted: Int): AnalysisException =
    error(
      "ADOPTED_SOURCES",
      "location" -> location,
      "found" -> found.toString,
      "wanted" -> wanted.toString
    )

  def policyMax(location: String): AnalysisException =
    error("ADOPTED_POLICY_MAX", "location" -> location)

  def stillRunning(location: String, query: String): AnalysisException =
    error("CHECKPOINT_IN_USE", "location" -> location, "query" -> query)

  def growing(location: String): AnalysisException =
    error("CHECKPOINT_GROWING", "location" -> location)

  def nothingToRelease(location: String): AnalysisException =
    error("NOTHING_TO_RELEASE", "location" -> location)

  def ownState(location: String, operators: Seq[String]): AnalysisException =
    error("RELEASED_STATE", "location" -> location, "operators" -> list(operators))

  def namedState(location: String): AnalysisException =
    error("RELEASED_NAMES", "location" -> location)

  def notRenamed(from: String, to: String): AnalysisException =
    error("NOT_RENAMED", "from" -> from, "to" -> to)
}
