package tidegate.errors

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.tidegate.ErrorConditions

/**
 * The error conditions of Tidegate. Their texts are in `tidegate/error-conditions.json`: each names
 * the argument or column, what was found, what is wanted and how to correct it. The objects of this
 * package raise them, one object for each area.
 */
object Conditions {
  private val Prefix = "TIDEGATE_"

  /** Makes the conditions known to Spark; called when the extension starts. */
  def register(): Unit =
    ErrorConditions.register(
      getClass.getClassLoader.getResource("tidegate/error-conditions.json")
    )

  private[errors] def error(condition: String, parameters: (String, String)*): AnalysisException = {
    register()
    // In SQL this is the place of the argument in question; elsewhere it is empty.
    new AnalysisException(s"$Prefix$condition", parameters.toMap, CurrentOrigin.get)
  }

  /** As `error`, with its cause if the cause is known. */
  private[errors] def causedError(
      condition: String,
      cause: Option[Throwable],
      parameters: (String, String)*
  ): AnalysisException = {
    register()
    new AnalysisException(s"$Prefix$condition", parameters.toMap, CurrentOrigin.get, cause)
  }

  /**
   * Whether an error is one of Tidegate's or was caused by one: an error of a task arrives as a
   * cause.
   */
  def isOwn(error: Throwable): Boolean =
    Iterator.iterate(error)(_.getCause).takeWhile(_ != null).exists {
      case e: SparkThrowable => Option(e.getCondition).exists(_.startsWith(Prefix))
      case _                 => false
    }

  /** The first few of many. */
  private[errors] def some(names: Seq[String]): String =
    (names.take(MostNames) ++ Option.when(names.size > MostNames)(
      s"and ${names.size - MostNames} more"
    )).mkString(", ")

  private val MostNames = 5

  private[errors] def list(names: Iterable[String]): String = names.map(n => s"`$n`").mkString(", ")
}
