package tidegate.errors

import org.apache.spark.sql.AnalysisException
import tidegate.errors.Conditions.{error, list}

/** Errors of the names of stateful operators. */
object OperatorErrors {

  def nameCount(found: Seq[String]): AnalysisException =
    error("OPERATOR_NAME_COUNT", "found" -> (if (found.isEmpty) "none" else list(found)))

  def nameNoWord(name: String): AnalysisException =
    error("OPERATOR_NAME_NO_WORD", "name" -> name)

  def nameReserved(name: String, owner: String): AnalysisException =
    error("OPERATOR_NAME_RESERVED", "name" -> name, "owner" -> owner)

  def nameTwice(name: String): AnalysisException =
    error("OPERATOR_NAME_TWICE", "name" -> name)

  def namesOfOne(name: String, other: String): AnalysisException =
    error("OPERATOR_NAMES_OF_ONE", "name" -> name, "other" -> other)

  def nameOfSeveral(name: String, operators: Seq[String]): AnalysisException =
    error("OPERATOR_NAME_OF_SEVERAL", "name" -> name, "operators" -> list(operators))

  def nameWithoutOperator(name: String): AnalysisException =
    error("OPERATOR_NAME_WITHOUT_OPERATOR", "name" -> name)

  /** The named operators of a checkpoint are not the operators of the query. */
  def operatorsChanged(added: Seq[String], removed: Seq[String]): AnalysisException =
    error(
      "OPERATORS_CHANGED",
      "added" -> (if (added.isEmpty) "no operator" else list(added)),
      "removed" -> (if (removed.isEmpty) "no operator" else list(removed))
    )

  /** Spark numbered the operators in another order than that of the query. */
  def numberedOtherwise(found: Seq[String], wanted: Seq[String]): AnalysisException =
    error("OPERATORS_NUMBERED_OTHERWISE", "found" -> list(found), "wanted" -> list(wanted))
}
