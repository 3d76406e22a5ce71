package tidegate

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, Row}

/** Several queries as the branches of one: each row is text, behind the title of its branch. */
object Branches {

  def of(branches: Seq[(String, DataFrame)]): DataFrame = branches
    .map { case (title, df) =>
      val columns = df.columns.indices.map(i => s"c$i")
      val text = columns.map(c => coalesce(col(c).cast("string"), lit("null")))
      df.toDF(columns: _*).select(lit(title).as("branch"), concat_ws("|", text: _*).as("row"))
    }
    .reduce(_ union _)

  /** The rows of each branch, sorted. */
  def answers(rows: Seq[Row]): Map[String, Seq[String]] =
    rows.groupMap(_.getString(0))(_.getString(1)).map { case (title, texts) =>
      title -> texts.sorted
    }
}
