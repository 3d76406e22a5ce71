package tidegate.sql

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.expressions.{Cast, Expression, NamedArgumentExpression}
import org.apache.spark.sql.types.{ByteType, IntegerType, LongType, ShortType, StringType}
import org.apache.spark.unsafe.types.UTF8String
import tidegate.errors.{CallErrors, FunctionErrors, NearName}

/**
 * The arguments of a table function about queries, by position or by name.
 *
 * @param known
 *   the names of its arguments; the first is the query
 */
private[tidegate] final class QueryArguments(function: String, known: Seq[String]) {

  /** By name. */
  def read(arguments: Seq[Expression]): Map[String, Expression] = {
    if (arguments.size > known.size) throw FunctionErrors.oneQuery(function, arguments.size)
    arguments
      .zip(known)
      .map {
        case (NamedArgumentExpression(key, value), _) =>
          known.find(_.equalsIgnoreCase(key)).getOrElse {
            throw CallErrors.unknownArgument(function, key, NearName.nearest(key, known), known)
          } -> value
        case (value, name) => name -> value
      }
      .toMap
  }

  /** A text. */
  def text(argument: String, e: Expression): String = (e.dataType, value(argument, e)) match {
    case (_: StringType, s: UTF8String) => s.toString
    case _                              => refuse(argument, e, "a constant text such as 'orders'")
  }

  /** A whole number above 0. */
  def number(argument: String, e: Expression): Int = {
    val found = e.dataType match {
      case ByteType | ShortType | IntegerType | LongType if e.foldable =>
        value(argument, Cast(e, IntegerType, None))
      case _ => null
    }
    found match {
      case n: Int if n > 0 => n
      case _               => refuse(argument, e, "a constant whole number above 0 such as 10")
    }
  }

  private def value(argument: String, e: Expression): Any =
    try if (e.foldable) e.eval() else null
    catch {
      // Any exception counts, because what fails is the user's expression.
      case NonFatal(failure) => throw CallErrors.argumentFails(function, argument, e.sql, failure)
    }

  private def refuse(argument: String, e: Expression, wanted: String): Nothing =
    throw CallErrors.invalidArgument(function, argument, e.sql, wanted)
}
