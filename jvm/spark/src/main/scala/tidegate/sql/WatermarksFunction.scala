package tidegate.sql

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{
  Expression,
  ExpressionInfo,
  NamedArgumentExpression
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String
import tidegate.builders.NearName
import tidegate.clock.WatermarkRows
import tidegate.errors.{CallErrors, FunctionErrors}
import tidegate.plans.WatermarksTable

/**
 * The table function `tidegate_watermarks([query])`, as an extension registers it. It takes no
 * table and no `DESCRIPTOR`, so Spark itself finds and resolves its calls.
 */
private[tidegate] object WatermarksFunction {
  type Registered = (FunctionIdentifier, ExpressionInfo, Seq[Expression] => LogicalPlan)

  val Name = "tidegate_watermarks"
  private val Argument = "query"

  val registered: Registered = (
    FunctionIdentifier(Name),
    FunctionInfos.registeredTableFunction(
      Name,
      classOf[WatermarksTable],
      "_FUNC_([query]) - The watermarks of a streaming query, by its name or id, or of all queries " +
        "of the session that run: a row for each substream and each stateful operator.",
      s"$Argument - the name of a query, its id, or the id of one of its runs",
      s"SELECT name, kind, late_rows FROM $Name('hourly')",
      "orders\twatermark\tNULL",
      "aggregate\toperator\t0"
    ),
    arguments => WatermarksTable(query(arguments), DataTypeUtils.toAttributes(WatermarkRows.Schema))
  )

  private def query(arguments: Seq[Expression]): Option[String] = arguments match {
    case Seq()                                    => None
    case Seq(NamedArgumentExpression(key, value)) =>
      if (!key.equalsIgnoreCase(Argument)) {
        val near = NearName.nearest(key, Seq(Argument))
        throw CallErrors.unknownArgument(Name, key, near, Seq(Argument))
      }
      Some(text(value))
    case Seq(value) => Some(text(value))
    case more       => throw FunctionErrors.oneQuery(more.size)
  }

  private def text(e: Expression): String = {
    val value =
      try if (e.foldable) e.eval() else null
      catch {
        // Any exception counts, because what fails is the user's expression.
        case NonFatal(failure) => throw CallErrors.argumentFails(Name, Argument, e.sql, failure)
      }
    (e.dataType, value) match {
      case (_: StringType, s: UTF8String) => s.toString
      case _                              =>
        throw CallErrors.invalidArgument(Name, Argument, e.sql, "a constant text such as 'orders'")
    }
  }
}
