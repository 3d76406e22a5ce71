package tidegate.snapshot

import org.json4s.JsonAST.{JArray, JBool, JObject, JString}
import org.json4s.jackson.JsonMethods.compact

/** How a stage of a query continues from a checkpoint. */
sealed abstract class Verdict(val text: String) {
  override def toString: String = text
}

object Verdict {

  /** The stage continues as it was. */
  case object GoesOn extends Verdict("goes on")

  /** The stage continues, and some of its windows miss rows. */
  case object WindowsAffected extends Verdict("goes on with these windows affected")

  /** The checkpoint has nothing for the stage. */
  case object BeginsEmpty extends Verdict("begins empty")

  /** The query has no such stage any more. */
  case object Removed extends Verdict("removed")

  /** The query does not start. */
  case object Refused extends Verdict("refused")
}

/**
 * A stage of a query: a watermark, an operator with state, or the whole query.
 *
 * @param reason
 *   what a start would say of the stage; empty if it would say nothing
 */
final case class StageVerdict(stage: String, kind: String, verdict: Verdict, reason: String = "")

/**
 * Whether a query can continue from a snapshot or a checkpoint.
 *
 * @param stages
 *   first the query itself, then its watermarks, then its operators
 */
final case class Compatibility(stages: Seq[StageVerdict]) {

  /** Whether the query starts. */
  def isCompatible: Boolean = !stages.exists(_.verdict == Verdict.Refused)

  /** As JSON on one line. */
  def json: String = compact(
    JObject(
      "isCompatible" -> JBool(isCompatible),
      "stages" -> JArray(stages.map { s =>
        JObject(
          "stage" -> JString(s.stage),
          "kind" -> JString(s.kind),
          "verdict" -> JString(s.verdict.text),
          "reason" -> JString(s.reason)
        )
      }.toList)
    )
  )
}
