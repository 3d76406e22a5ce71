package tidegate.execution

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.{
  CodegenContext,
  ExprCode,
  GenerateUnsafeProjection
}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.execution.{CodegenSupport, SparkPlan, UnaryExecNode}
import org.apache.spark.sql.types.LongType
import tidegate.columns.{EventTimeTag, WindowMark, WindowRole}
import tidegate.core.clock.OperatorBatch
import tidegate.core.window.WindowGrid
import tidegate.plans.OperatorName
import tidegate.statistics.LateRows

/**
 * Drops the rows that are late for `operator`, counts them, and keeps a few for the log.
 *
 * A row without a time is never late. If a sliding window has copied a row, the copies in closed
 * windows are dropped; the row is counted once, when the last of its windows is closed.
 *
 * @param times
 *   the watermarks of the operator in this batch
 */
final case class DropLateExec(
    child: SparkPlan,
    time: Attribute,
    operator: String,
    owner: OperatorName,
    key: Byte,
    times: OperatorBatch,
    grid: Option[WindowGrid],
    eventTime: Option[Attribute],
    late: LateRows
) extends UnaryExecNode
    with CodegenSupport {

  /** Whether the operator runs on windows, not on plain times. */
  val isWindowed: Boolean = EventTimeTag.closesWindow(time)

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numLateRows" -> SQLMetrics.createMetric(sparkContext, "number of late rows dropped")
  )

  private def lateMs: Long = times.lateMs

  override def output: Seq[Attribute] = child.output

  /**
   * The columns that the generated code reads for every row, so that they are evaluated before it,
   * and only once.
   */
  @transient override lazy val references: AttributeSet =
    AttributeSet(time +: lastWindow.toSeq.flatMap(_.references))

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  /** The time that decides, in µs: a row is late if it is below the bound. */
  private def decisive: Expression = EventTimeTag.decisive(time)

  private def boundMicros: Long = grid match {
    // A time that is not in its windows yet is late when the last of them is closed.
    case Some(g) if !isWindowed && WindowMark.of(time).isEmpty =>
      g.inMicros.firstOpenFrame(lateMs * 1000)
    case _ => DropLateExec.boundMicros(lateMs, isWindowed)
  }

  private def lateLog: LateLog = LateLog(
    operator,
    lateMs,
    // The time of the row itself, if the column that the windows were made from is still there.
    eventTime.getOrElse(decisive),
    child.output,
    conf.sessionLocalTimeZone,
    late,
    longMetric("numLateRows")
  )

  /**
   * Whether a copy of a row is the one in the latest window: if that copy is late, all copies are.
   */
  private def lastWindow: Option[Expression] = for {
    g <- grid.filter(g => g.sizeMs > g.slideMs)
    column <- eventTime
  } yield {
    def micros(e: Expression) = PreciseTimestampConversion(e, e.dataType, LongType)
    def literal(ms: Long) = Literal(ms * 1000)
    // The time of a window is a millisecond before its end.
    lazy val end =
      if (WindowMark.hasRole(time, WindowRole.Time)) Add(micros(decisive), literal(1))
      else micros(decisive)
    WindowMark.of(time) match {
      case None =>
        LessThan(Subtract(micros(column), micros(GetStructField(time, 0))), literal(g.slideMs))
      // The windows of a row all begin at the same time; only the last one ends where the next
      // windows begin.
      case Some(mark) if mark.sharesStart =>
        EqualTo(
          Pmod(Subtract(end, literal(g.offsetMs)), literal(g.sizeMs)),
          Literal(0L)
        )
      case Some(_) =>
        GreaterThan(Subtract(end, micros(column)), literal(g.sizeMs - g.slideMs))
    }
  }

  override protected def doExecute(): RDD[InternalRow] = {
    val bound = boundMicros
    val log = lateLog
    val columns = child.output
    val timeAndLast = Seq(decisive, lastWindow.getOrElse(Literal.TrueLiteral))
    child.execute().mapPartitions { rows =>
      val times = UnsafeProjection.create(timeAndLast, columns)
      rows.filter { row =>
        val t = times(row)
        val isLate = !t.isNullAt(0) && t.getLong(0) < bound
        if (isLate && t.getBoolean(1)) log.dropped(row)
        !isLate
      }
    }
  }

  override def inputRDDs(): Seq[RDD[InternalRow]] = child.asInstanceOf[CodegenSupport].inputRDDs()

  override protected def doProduce(ctx: CodegenContext): String =
    child.asInstanceOf[CodegenSupport].produce(ctx, this)

  override def doConsume(ctx: CodegenContext, input: Seq[ExprCode], row: ExprCode): String = {
    val bound = ctx.addReferenceObj("bound", java.lang.Long.valueOf(boundMicros))
    ctx.INPUT_ROW = null
    ctx.currentVars = input
    def code(e: Expression): ExprCode =
      BindReferences.bindReference(e, child.output).genCode(ctx)
    val t = code(decisive)
    val count = lastWindow.fold(wordRow(ctx, input)) { isLast =>
      val last = code(isLast)
      s"""
         |${last.code}
         |if (${last.value}) {
         |  ${wordRow(ctx, input)}
         |}
       """.stripMargin
    }
    // In a loop of its own, as in Spark's filter: Spark may move this code into a function without
    // a loop.
    s"""
       |do {
       |  ${t.code}
       |  if (!${t.isNull} && ${t.value} < $bound) {
       |    $count
       |    continue;
       |  }
       |  ${consume(ctx, input)}
       |} while (false);
     """.stripMargin
  }

  /**
   * Evaluates all columns, but only for a late row: other rows pass on with their columns
   * unevaluated.
   */
  private def wordRow(ctx: CodegenContext, input: Seq[ExprCode]): String = {
    ctx.currentVars = input.map(_.copy())
    val columns = child.output.zipWithIndex.map { case (a, i) =>
      BoundReference(i, a.dataType, a.nullable)
    }
    val row = GenerateUnsafeProjection.createCode(ctx, columns)
    val log = ctx.addReferenceObj("lateLog", lateLog)
    ctx.currentVars = input
    s"""
       |${row.code}
       |$log.dropped(${row.value});
     """.stripMargin
  }

  /** The operator and what it runs on, for `EXPLAIN`. */
  def describe: String = s"$operator: ${WatermarkText.of(times, time, key)}"

  override def simpleString(maxFields: Int): String = s"DropLate $describe"

  override protected def withNewChildInternal(newChild: SparkPlan): DropLateExec =
    copy(child = newChild)
}

object DropLateExec {

  /**
   * The time, in µs, below which a row is late. A window that ends at the watermark is closed. A
   * time at the watermark is not late, except at the epoch: the eviction watermark is never below
   * 0, and would release such a row in every batch.
   */
  def boundMicros(lateMs: Long, isWindowed: Boolean): Long =
    if (isWindowed || lateMs == 0) lateMs * 1000 + 1 else lateMs * 1000
}
