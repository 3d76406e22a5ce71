package tidegate.clock

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import tidegate.clock.WatermarkRows.text
import tidegate.core.sight.Explanation

/** The explanation of a query's time as rows, one for each line. */
private[tidegate] object ExplanationRows {

  val Schema: StructType = StructType.fromDDL(
    "query STRING, query_id STRING NOT NULL, run_id STRING NOT NULL, line INT NOT NULL, " +
      "sentence STRING NOT NULL"
  )

  /** In the order of `Schema`, and of the lines. */
  def of(ids: QueryIds, sight: QuerySight): Seq[InternalRow] =
    Explanation.of(sight.situation).linesIterator.toSeq.zipWithIndex.map { case (line, i) =>
      InternalRow.fromSeq(
        Seq(text(ids.name), text(ids.id.toString), text(ids.runId.toString), i + 1, text(line))
      )
    }
}
