package tidegate.snapshot

import scala.jdk.CollectionConverters._

import org.apache.spark.SparkThrowable
import tidegate.core.clock.ClockState

/**
 * The stages that a refusal is about. Tidegate's own refusals name them. Spark's refusals name the
 * numbers of states, or show the schema of a state.
 *
 * @param before
 *   the clock of the checkpoint
 * @param states
 *   the states of the checkpoint
 * @param now
 *   the operators of the query, if the start came as far as to know them
 */
private[snapshot] final class RefusedStages(
    before: ClockState,
    states: Seq[CheckpointState],
    now: Set[String]
) {
  import RefusedStages._

  private val names = new OperatorNames(Some(before), states.map(s => s.id -> s.operator))

  /** Each stage with its kind: the watermarks first; empty if the refusal is about none of them. */
  def of(refusal: Throwable): Seq[(String, String)] = {
    val refused = Iterator
      .iterate(refusal)(_.getCause)
      .takeWhile(_ != null)
      .collectFirst { case e: SparkThrowable => e }
    val parameters = refused.fold(Map.empty[String, String])(_.getMessageParameters.asScala.toMap)
    val text = Option(refusal.getMessage).getOrElse("")
    def isNamed(stage: String) =
      text.contains(s"`$stage`") || parameters.get("operator").contains(stage)
    val watermarks = before.nodes.keySet.filter(isNamed)
    val added = parameters.get("added").toSet.flatMap { (list: String) =>
      InBackticks.findAllMatchIn(list).map(_.group(1)).toSet
    }
    val operators = (before.operators.keySet ++ now).filter(isNamed) ++ added ++
      bySchema(parameters) ++ byNumber(parameters)
    watermarks.toSeq.sorted.map(_ -> "watermark") ++ operators.toSeq.sorted.map(_ -> "operator")
  }

  /** Spark shows the schema that it found. */
  private def bySchema(parameters: Map[String, String]): Set[String] = {
    val keys = parameters.get("storedKeySchema")
    val values = parameters.get("storedValueSchema")
    val found = states.filter(_.schemas.exists { case (_, key, value) =>
      keys.contains(key.toString) || values.contains(value.toString)
    })
    stages(found.map(_.id))
  }

  /** Spark lists the operators of the checkpoint, and those of the query. */
  private def byNumber(parameters: Map[String, String]): Set[String] = {
    def listed(parameter: String): Set[(Long, String)] =
      parameters.get(parameter).toSet.flatMap { (list: String) =>
        Listed.findAllMatchIn(list).map(m => m.group(1).toLong -> m.group(2)).toSet
      }
    val (found, wanted) = (listed("OpsInMetadataSeq"), listed("OpsInCurBatchSeq"))
    if (found == wanted) Set.empty
    else stages((found -- wanted).map(_._1).toSeq) ++ (now -- before.operators.keySet)
  }

  /** A join has a stage for each of its sides. */
  private def stages(ids: Seq[Long]): Set[String] = {
    val found = ids.map(names(_))
    found.flatMap { name =>
      val sides = before.operators.keySet.filter(_.takeWhile(_ != '.') == name)
      if (sides.isEmpty) Set(name) else sides
    }.toSet
  }
}

private object RefusedStages {

  private val InBackticks = "`([^`]+)`".r

  /** As Spark writes an operator in a message. */
  private val Listed = """OperatorId: (\d+) -> OperatorName: (\w+)""".r
}
