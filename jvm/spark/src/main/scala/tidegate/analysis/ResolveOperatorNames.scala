package tidegate.analysis

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnresolvedHint}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.types.StringType
import tidegate.errors.OperatorErrors
import tidegate.operators.StatefulOperators
import tidegate.plans.NamedOperator

/**
 * Replaces the hint `TIDEGATE_NAME` with a `NamedOperator` node. The name is a text, or a word as
 * Spark's hints have for tables.
 */
private[tidegate] object ResolveOperatorNames extends Rule[LogicalPlan] {

  /** Neither a dot nor a `#`: sides of a join and unions add them. */
  private val Word = "[A-Za-z_][A-Za-z0-9_-]*".r

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case hint: UnresolvedHint if hint.name.equalsIgnoreCase(NamedOperator.Hint) =>
      CurrentOrigin.withOrigin(hint.origin) {
        NamedOperator(checked(hint.parameters.map(textOf)), hint.child)
      }
    // Spark looks for an aggregation right below its sort.
    case NamedOperator(_, child) if child.resolved && !child.isStreaming => child
  }

  private def textOf(parameter: Any): String = parameter match {
    case Literal(null, _)           => ""
    case Literal(text, StringType)  => text.toString
    case UnresolvedAttribute(parts) => parts.mkString(".")
    // With a blank, so that no value of another type is a word.
    case e: Expression => s"${e.sql} (${e.getClass.getSimpleName})"
    case other         => s"$other (${other.getClass.getSimpleName})"
  }

  private def checked(parameters: Seq[String]): String = parameters match {
    case Seq(name) if !Word.matches(name) => throw OperatorErrors.nameNoWord(name)
    case Seq(name)                        =>
      StatefulOperators.names
        .find(kind => name.matches(s"$kind(-[0-9]+)?"))
        .foreach(kind => throw OperatorErrors.nameReserved(name, s"operators of the kind `$kind`"))
      name
    case other => throw OperatorErrors.nameCount(other)
  }
}
