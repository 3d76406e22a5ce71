package tidegate.request

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.{Attribute, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import tidegate.errors.WatermarkErrors

/** Finds columns by the names that users give. */
private[tidegate] object NamedColumn {

  /**
   * The column of this name, which may be qualified or quoted, or just as the column is called,
   * with dots in it; Spark refuses an ambiguous name.
   */
  def find(input: LogicalPlan, name: String): Option[Attribute] =
    resolved(input, name).collect { case a: Attribute => a }.orElse {
      input.output.filter(a => input.conf.resolver(a.name, name)) match {
        case Seq(one) => Some(one)
        case _        => None
      }
    }

  /**
   * The same.
   *
   * @param argument
   *   the argument that has the name, for the error
   * @param missing
   *   the error if there is no such column
   * @throws AnalysisException
   *   `TIDEGATE_COLUMN_IS_FIELD` for a field of a struct
   */
  def of(input: LogicalPlan, argument: String, name: String)(
      missing: => AnalysisException
  ): Attribute =
    find(input, name).getOrElse {
      throw resolved(input, name).fold(missing)(WatermarkErrors.columnIsField(argument, name, _))
    }

  private def resolved(input: LogicalPlan, name: String): Option[NamedExpression] =
    input.resolveQuoted(name, input.conf.resolver)
}
