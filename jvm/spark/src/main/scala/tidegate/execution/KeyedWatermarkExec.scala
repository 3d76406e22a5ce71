package tidegate.execution

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.{CodeGenerator, CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeSet,
  BindReferences,
  Cast,
  Expression,
  Predicate,
  SortOrder,
  UnsafeProjection
}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{BinaryExecNode, CodegenSupport, SparkPlan}
import org.apache.spark.sql.types.{ByteType, IntegerType, LongType, ShortType}
import tidegate.core.clock.{NodeMark, OperatorBatch}
import tidegate.plans.WatermarkSpec
import tidegate.statistics.{SubstreamNode, SubstreamStats}

/**
 * Passes the rows of `left` through and notes the highest event time of every substream.
 *
 * `right` is the clock. It is in the plan to make the clock one of the query's sources, and never
 * runs. A row without a time is not noted, nor one that does not move the watermark.
 *
 * @param observed
 *   the column whose times are noted: the event time, or the time at which rows were appended
 * @param movedBy
 *   the rows whose times are noted; all if none
 * @param watermark
 *   asks for the watermark at the end of this batch, for `EXPLAIN`
 */
final case class KeyedWatermarkExec(
    left: SparkPlan,
    right: SparkPlan,
    override val output: Seq[Attribute],
    eventTime: Attribute,
    observed: Attribute,
    substream: Seq[Attribute],
    spec: WatermarkSpec,
    movedBy: Option[Expression],
    @transient watermark: () => Option[NodeMark],
    stats: SubstreamStats
) extends BinaryExecNode
    with CodegenSupport
    with DescribesItself {

  @transient override lazy val references: AttributeSet = AttributeSet(
    Seq(eventTime, observed) ++ substream ++ movedBy.toSeq.flatMap(_.references)
  )

  override def producedAttributes: AttributeSet = AttributeSet.empty

  override def outputPartitioning: Partitioning = left.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = left.outputOrdering

  /** The substream columns: whole numbers as they are, other types as text. */
  private def substreamColumns: Seq[Expression] = substream.map { a =>
    a.dataType match {
      case ByteType | ShortType | IntegerType => Cast(a, LongType)
      case LongType                           => a
      case _                                  => SubstreamText.of(a)
    }
  }

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numFutureRows" ->
      SQLMetrics.createMetric(sparkContext, "number of rows too far in the future")
  )

  /** What notes the rows, and shows in the UI what it has found. */
  private def noting: SubstreamStats = {
    stats.addFutureTo(longMetric("numFutureRows"))
    stats
  }

  override protected def doExecute(): RDD[InternalRow] = {
    val noted = noting
    val time = left.output.indexWhere(_.exprId == observed.exprId)
    val columns = left.output
    val by = substreamColumns
    val condition = movedBy
    left.execute().mapPartitionsWithIndex { (partition, rows) =>
      val project = UnsafeProjection.create(by, columns)
      val moves = condition.map(Predicate.create(_, columns))
      moves.foreach(_.initialize(partition))
      rows.map { row =>
        if (!row.isNullAt(time) && moves.forall(_.eval(row))) {
          val values = project(row)
          val substream = by.indices.foldLeft(noted.root) { (node, i) =>
            if (values.isNullAt(i)) node.ofNull()
            else if (by(i).dataType == LongType) node.of(values.getLong(i))
            else node.of(values.getUTF8String(i))
          }
          noted.observe(substream, row.getLong(time), partition)
        }
        row
      }
    }
  }

  override def inputRDDs(): Seq[RDD[InternalRow]] = left.asInstanceOf[CodegenSupport].inputRDDs()

  /** Spark's default asks the only child; of our two children, the left one generates code. */
  override def needCopyResult: Boolean = left.asInstanceOf[CodegenSupport].needCopyResult

  override protected def doProduce(ctx: CodegenContext): String =
    left.asInstanceOf[CodegenSupport].produce(ctx, this)

  override def doConsume(ctx: CodegenContext, input: Seq[ExprCode], row: ExprCode): String = {
    val noted = ctx.addReferenceObj("substreamStats", noting)
    ctx.INPUT_ROW = null
    ctx.currentVars = input
    val time = input(left.output.indexWhere(_.exprId == observed.exprId))
    val node = ctx.freshName("substream")
    val partition = ctx.addMutableState(CodeGenerator.JAVA_INT, "watermarkPartition")
    ctx.addPartitionInitializationStatement(s"$partition = partitionIndex;")
    val steps = BindReferences.bindReferences(substreamColumns, left.output).map { column =>
      val value = column.genCode(ctx)
      s"""
         |${value.code}
         |$node = ${value.isNull} ? $node.ofNull() : $node.of(${value.value});
       """.stripMargin
    }
    val (condition, moves) = movesWatermark(ctx)
    s"""
       |$condition
       |if (!${time.isNull} && $moves) {
       |  ${classOf[SubstreamNode].getName} $node = $noted.root();
       |  ${steps.mkString("\n")}
       |  $noted.observe($node, ${time.value}, $partition);
       |}
       |${consume(ctx, input)}
     """.stripMargin
  }

  /** Code that computes whether a row moves the watermark, and the name of the result. */
  private def movesWatermark(ctx: CodegenContext): (String, String) =
    movedBy.fold(("", "true")) { p =>
      val moves = BindReferences.bindReference(p, left.output).genCode(ctx)
      (moves.code.toString, s"!${moves.isNull} && ${moves.value}")
    }

  override def describe: String = {
    val mark = watermark()
    val by = if (substream.isEmpty) "" else substream.mkString(", substream=[", ", ", "]")
    val time =
      WatermarkText.of(mark.flatMap(_.watermarkMs).getOrElse(OperatorBatch.NothingLate))
    val of = if (observed.exprId == eventTime.exprId) "" else s" of $observed"
    val moved = movedBy.fold("")(p => s", moved by rows with $p")
    s"${spec.name}: $eventTime, key=${spec.key}, ${spec.policy}$of$by$moved, " +
      s"watermark $time, idle=${mark.exists(_.idle)}"
  }

  override protected def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan
  ): KeyedWatermarkExec = copy(left = newLeft, right = newRight)
}
