package tidegate.execution.frames

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.expressions.codegen._
import org.apache.spark.sql.types.{DataType, LongType}

/** The two steps of sliding, generated for the aggregates of one query. */
private[frames] abstract class FrameCode {

  /** Merges two entries into a third, which may be the first; all but its frame. */
  def merge(earlier: UnsafeRow, later: UnsafeRow, into: UnsafeRow): Unit

  /** The output of a window; good until the next call. */
  def result(stateKey: UnsafeRow, start: Long, entry: UnsafeRow): UnsafeRow
}

/**
 * Generates both from the merge and evaluate expressions of the aggregates. Values are read into
 * locals once; Spark's projections would read and write each through the interface of a row.
 */
private[frames] object GenerateFrameCode extends Logging {

  def apply(aggregates: FrameAggregates): FrameCode = {
    val ctx = new CodegenContext
    val merge = mergeBody(ctx, aggregates)
    val result = resultBody(ctx, aggregates)
    val row = classOf[UnsafeRow].getName
    val source = s"""
      public java.lang.Object generate(Object[] references) {
        return new GeneratedFrameCode(references);
      }
      final class GeneratedFrameCode extends ${classOf[FrameCode].getName} {
        private Object[] references;
        ${ctx.declareMutableStates()}
        public GeneratedFrameCode(Object[] references) {
          this.references = references;
          ${ctx.initMutableStates()}
        }
        public void merge($row earlier, $row later, $row into) {
          $merge
        }
        public $row result($row stateKey, long start, $row entry) {
          $result
        }
        ${ctx.declareAddedFunctions()}
      }"""
    val code = CodeFormatter.stripOverlappingComments(
      new CodeAndComment(source, ctx.getPlaceHolderToComments())
    )
    logDebug(s"Code for frames:\n${CodeFormatter.format(code)}")
    val (generated, _) = CodeGenerator.compile(code)
    generated.generate(ctx.references.toArray).asInstanceOf[FrameCode]
  }

  private def mergeBody(ctx: CodegenContext, aggregates: FrameAggregates): String = {
    val functions = aggregates.functions.map(
      _.aggregateFunction.asInstanceOf[DeclarativeAggregate]
    )
    val (mine, theirs) = (aggregates.buffers, aggregates.inputBuffers)
    val values = variables(ctx, "earlier", mine, 1) ++ variables(ctx, "later", theirs, 1)
    val merged = generate(ctx, functions.flatMap(_.mergeExpressions), mine ++ theirs, values)
    val stores = mine.zip(merged).zipWithIndex.map { case ((buffer, value), i) =>
      store(value, buffer, i + 1)
    }
    (values.map(_.code.toString) ++ merged.map(_.code.toString) ++ stores).mkString("\n")
  }

  private def store(value: ExprCode, buffer: Attribute, ordinal: Int): String = {
    val set = CodeGenerator.setColumn("into", buffer.dataType, ordinal, value.value)
    if (value.isNull == FalseLiteral) set
    else
      s"""if (${value.isNull}) {
         |  into.setNullAt($ordinal);
         |} else {
         |  $set;
         |}""".stripMargin
  } + ";"

  private def resultBody(ctx: CodegenContext, aggregates: FrameAggregates): String = {
    val evaluated = aggregates.functions.map { f =>
      f.resultAttribute.exprId ->
        f.aggregateFunction.asInstanceOf[DeclarativeAggregate].evaluateExpression
    }.toMap
    val results = aggregates.results.map(_.transform {
      case a: Attribute if evaluated.contains(a.exprId) => evaluated(a.exprId)
    })
    val used = AttributeSet(results)
    val inputs = aggregates.stateKey ++ (aggregates.frame +: aggregates.buffers)
    val values =
      variables(ctx, "stateKey", aggregates.stateKey, 0, used.contains) ++
        Seq(ExprCode(FalseLiteral, JavaCode.variable("start", LongType))) ++
        variables(ctx, "entry", aggregates.buffers, 1, used.contains)
    val bound = results.map(BindReferences.bindReference[Expression](_, inputs))
    ctx.INPUT_ROW = null
    ctx.currentVars = values.map(_.copy(code = EmptyBlock))
    val row = GenerateUnsafeProjection.createCode(ctx, bound)
    s"""${values.map(_.code).mkString("\n")}
       |${row.code}
       |return ${row.value};""".stripMargin
  }

  private def generate(
      ctx: CodegenContext,
      expressions: Seq[Expression],
      inputs: Seq[Attribute],
      values: Seq[ExprCode]
  ): Seq[ExprCode] = {
    ctx.INPUT_ROW = null
    ctx.currentVars = values.map(_.copy(code = EmptyBlock))
    expressions.map(e => BindReferences.bindReference(e, inputs).genCode(ctx))
  }

  /** The columns of a row as locals. */
  private def variables(
      ctx: CodegenContext,
      row: String,
      columns: Seq[Attribute],
      first: Int,
      isUsed: Attribute => Boolean = _ => true
  ): Seq[ExprCode] = columns.zipWithIndex.map { case (column, i) =>
    if (!isUsed(column)) ExprCode.forNullValue(column.dataType)
    else variable(ctx, row, column.dataType, column.nullable, first + i)
  }

  private def variable(
      ctx: CodegenContext,
      row: String,
      dataType: DataType,
      nullable: Boolean,
      ordinal: Int
  ): ExprCode = {
    val javaType = CodeGenerator.javaType(dataType)
    val value = JavaCode.variable(ctx.freshName(row), dataType)
    val read = CodeGenerator.getValue(row, dataType, ordinal.toString)
    if (!nullable) ExprCode(code"$javaType $value = $read;", FalseLiteral, value)
    else {
      val isNull = JavaCode.isNullVariable(ctx.freshName("isNull"))
      ExprCode(
        code"""boolean $isNull = $row.isNullAt($ordinal);
              |$javaType $value = $isNull ? ${CodeGenerator.defaultValue(dataType)} : $read;
            """.stripMargin,
        isNull,
        value
      )
    }
  }
}
