package tidegate.sql

import java.util.Locale

import org.apache.spark.sql.catalyst.expressions.ExpressionInfo

/** What `DESCRIBE FUNCTION` and `SHOW FUNCTIONS` say about the functions of Tidegate. */
private[tidegate] object FunctionInfos {
  import EventTimeFunction._

  /** The table functions that users call; Spark's registry does not have them. */
  val tableFunctions: Seq[ExpressionInfo] = Seq(
    tableFunction(
      ImposeOrder,
      "Gives a stream a watermark of its own on the time column. Rows and columns do not change.",
      call("*", "IMPOSE_ORDER(TABLE(%s), DESCRIPTOR(ts), INTERVAL 5 SECONDS, name => 'orders')"),
      "1\t2026-01-01 12:00:01",
      "2\t2026-01-01 12:00:07"
    ),
    tableFunction(
      Tumble,
      "Adds window_start, window_end and window_time: the window of fixed size that a row is in.",
      call("id, window_start, window_end", "TUMBLE(TABLE(%s), DESCRIPTOR(ts), INTERVAL 5 SECONDS)"),
      "1\t2026-01-01 12:00:00\t2026-01-01 12:00:05",
      "2\t2026-01-01 12:00:05\t2026-01-01 12:00:10"
    ),
    tableFunction(
      Hop,
      "Adds window_start, window_end and window_time, once for each window that a row is in. " +
        "Windows have a fixed size, and one begins every slide. Size comes first.",
      call(
        "id, window_start, window_end",
        "HOP(TABLE(%s), DESCRIPTOR(ts), SIZE => INTERVAL 10 SECONDS, SLIDE => INTERVAL 5 SECONDS)"
      ),
      "1\t2026-01-01 11:59:55\t2026-01-01 12:00:05",
      "1\t2026-01-01 12:00:00\t2026-01-01 12:00:10",
      "2\t2026-01-01 12:00:00\t2026-01-01 12:00:10",
      "2\t2026-01-01 12:00:05\t2026-01-01 12:00:15"
    ),
    tableFunction(
      Cumulate,
      "Adds window_start, window_end and window_time, once for each window that a row is in. " +
        "Windows begin together, and grow by step up to max_size.",
      call(
        "id, window_start, window_end",
        "CUMULATE(TABLE(%s), DESCRIPTOR(ts), INTERVAL 5 SECONDS, INTERVAL 10 SECONDS)"
      ),
      "1\t2026-01-01 12:00:00\t2026-01-01 12:00:05",
      "1\t2026-01-01 12:00:00\t2026-01-01 12:00:10",
      "2\t2026-01-01 12:00:00\t2026-01-01 12:00:10"
    ),
    tableFunction(
      Session,
      "Adds window_start, window_end and window_time: the session that a row is in. Data may " +
        "have a PARTITION BY: then rows with equal columns make sessions. Group by the window " +
        "and exactly these columns.",
      call(
        "id, window_start, window_end, count(*)",
        "SESSION(TABLE(%s) PARTITION BY id, DESCRIPTOR(ts), INTERVAL 5 SECONDS) GROUP BY ALL"
      ),
      "1\t2026-01-01 12:00:01\t2026-01-01 12:00:06\t1",
      "2\t2026-01-01 12:00:07\t2026-01-01 12:00:12\t1"
    ),
    tableFunction(
      OrderByTime,
      "Emits the rows of a stream in the order of their time, once the watermark has passed " +
        "them. Data may have a PARTITION BY: then rows with equal columns are in order.",
      call("*", "ORDER_BY_TIME(TABLE(%s), DESCRIPTOR(ts))"),
      "1\t2026-01-01 12:00:01",
      "2\t2026-01-01 12:00:07"
    )
  )

  /** The table function with a name, in upper or lower case. */
  def tableFunction(name: String): Option[ExpressionInfo] =
    tableFunctions.find(_.getName.equalsIgnoreCase(name))

  /** A table function of Spark's registry, without a table among its arguments. */
  def registeredTableFunction(
      name: String,
      clazz: Class[_],
      usage: String,
      argument: String,
      example: String,
      result: String*
  ): ExpressionInfo = info(clazz.getCanonicalName, name, usage, Seq(argument), example, result)

  /** A function of one value. */
  def scalarFunction(
      name: String,
      clazz: Class[_],
      usage: String,
      argument: String,
      select: String,
      result: String
  ): ExpressionInfo =
    info(
      clazz.getCanonicalName,
      name,
      s"_FUNC_($argument) - $usage",
      Nil,
      s"SELECT $select FROM ${table(1)}",
      Seq(result)
    )

  private def tableFunction(
      function: EventTimeFunction,
      usage: String,
      example: String,
      result: String*
  ): ExpressionInfo = {
    val signature = function.signature.stripPrefix(function.name)
    val arguments = (Parameter.Data +: function.all).map(p => s"${p.name} - ${p.meaning}")
    val name = function.name.toLowerCase(Locale.ROOT)
    info(null, name, s"_FUNC_$signature - $usage", arguments, example, result)
  }

  private def call(columns: String, function: String): String =
    s"SELECT $columns FROM " + function.format(s"SELECT * FROM ${table(2)}")

  private def table(rows: Int): String = {
    val times = Seq("(1, TIMESTAMP '2026-01-01 12:00:01')", "(2, TIMESTAMP '2026-01-01 12:00:07')")
    times.take(rows).mkString("VALUES ", ", ", " AS t (id, ts)")
  }

  /** Spark wants the parts laid out like this. */
  private def info(
      className: String,
      name: String,
      usage: String,
      arguments: Seq[String],
      example: String,
      result: Seq[String]
  ): ExpressionInfo =
    new ExpressionInfo(
      className,
      null,
      name,
      usage,
      if (arguments.isEmpty) ""
      else arguments.mkString("\n    Arguments:\n      * ", "\n      * ", "\n  "),
      result.mkString(s"\n    Examples:\n      > $example;\n       ", "\n       ", "\n  "),
      "",
      "datetime_funcs",
      "0.2.0",
      "",
      "built-in"
    )
}
