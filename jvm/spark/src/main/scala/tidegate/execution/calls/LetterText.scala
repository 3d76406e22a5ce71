package tidegate.execution.calls

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  BindReferences,
  CreateNamedStruct,
  Expression,
  GetStructField,
  Literal
}
import org.apache.spark.sql.tidegate.JsonRows
import org.apache.spark.sql.types.StructType
import tidegate.plans.CallColumns

/**
 * A dead letter as a line: what it tells of the call, and the row. Functions of Python and of Scala
 * give both as columns, so their letters have one form.
 *
 * @param calls
 *   the columns of `CallColumns`
 */
private[calls] final class LetterText(calls: Seq[Attribute], input: Seq[Attribute]) {

  private val columns: Seq[Expression] = {
    val of = calls(CallColumns.DeadLetter)
    val told = CallColumns.letter.indices.map(GetStructField(of, _))
    val named = CallColumns.letter.fieldNames.toSeq.zip(told) :+ ("row" -> calls(CallColumns.Row))
    named.flatMap { case (name, value) => Seq(Literal(name), value) }
  }

  private val letter =
    BindReferences.bindReference[Expression](CreateNamedStruct(columns), input)

  private val json = new JsonRows(letter.dataType.asInstanceOf[StructType])

  def of(row: InternalRow): String = json.text(letter.eval(row).asInstanceOf[InternalRow])
}
