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
import org.apache.spark.sql.tidegate.{ParquetRows, SparkInternals}
import tidegate.columns.{EventTimeTag, WindowMark, WindowRole, WindowTimes}
import tidegate.core.clock.OperatorBatch
import tidegate.core.window.{MissedWindows, WindowGrid}
import tidegate.core.{EndOfTime, Saturating}
import tidegate.plans.{DropLate, EmitsEarlierRows, OperatorName}
import tidegate.settings.Settings
import tidegate.statistics.LateRows

/**
 * Drops the rows that are late for `operator`, counts them, and keeps a few for the log.
 *
 * A row without a time is never late. If a sliding window has copied a row, the copies in closed
 * windows are dropped. The row is counted once: as late when the last of its windows is closed, and
 * before that as late for a part of its windows.
 *
 * @param watermarks
 *   asks for the watermarks of the operator in this batch: the one for late rows stays as it is,
 *   the one for eviction is final once the operator is executed
 * @param isInclusive
 *   whether a time at the watermark is late too
 * @param folder
 *   where the dropped rows go; none if they are only counted
 * @param nullable
 *   the columns that may have NULL in rows of other batches
 * @param appends
 *   whether the operator emits its rows once, although the output mode of the query is update
 */
final case class DropLateExec(
    child: SparkPlan,
    time: Attribute,
    operator: String,
    owner: OperatorName,
    key: Byte,
    @transient watermarks: () => OperatorBatch,
    grid: Option[WindowGrid],
    eventTime: Option[Attribute],
    substream: Option[Seq[Attribute]],
    from: LateOrigin,
    isInclusive: Boolean,
    late: LateRows,
    folder: Option[LateFolder] = None,
    nullable: Set[ExprId] = Set.empty,
    appends: Boolean = false
) extends UnaryExecNode
    with CodegenSupport
    with DescribesItself {

  /** Whether the operator runs on windows, not on plain times. */
  val isWindowed: Boolean = EventTimeTag.closesWindow(time)

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numLateRows" -> SQLMetrics.createMetric(sparkContext, "number of late rows dropped"),
    "numPartlyLate" -> SQLMetrics
      .createMetric(sparkContext, "number of rows late for a part of their windows")
  ) ++ folder.map { _ =>
    "numNotWritten" -> SQLMetrics.createMetric(sparkContext, "number of late rows not written")
  }

  /** The watermarks of the operator, as they are now. */
  def times: OperatorBatch = watermarks()

  /** Windows before the lowest watermark are closed from the first batch on. */
  private def lateMs: Long =
    if (isBeforeWindows) math.max(DropLate.LowestMs, times.lateMs) else times.lateMs

  /** Whether a row is not in its windows yet. */
  private def isBeforeWindows: Boolean =
    grid.isDefined && !isWindowed && WindowMark.of(time).isEmpty

  override def output: Seq[Attribute] = EmitsEarlierRows.restored(child.output, nullable)

  /**
   * The columns that the generated code reads for every row, so that they are evaluated before it,
   * and only once.
   */
  @transient override lazy val references: AttributeSet =
    AttributeSet(time +: lastWindow.toSeq.flatMap(_.references))

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  /** The time that decides, in µs: a row is late up to the bound. */
  private def decisive: Expression = EventTimeTag.decisive(time)

  private def overlapping: Option[WindowGrid] =
    grid.filter(_.isSliding && (isBeforeWindows || eventTime.isDefined))

  /** What is late, if anything may be. */
  private def bounds: Option[LateBounds] = lateUpTo.map { upTo =>
    overlapping.fold(LateBounds.withoutPart(upTo)) { g =>
      if (isBeforeWindows)
        LateBounds(upTo, upTo, MissedWindows(g).lastEnd(EndOfTime.micros(lateMs)) - 1)
      // One of the copies of a row speaks for all: the last one in a closed window. The next copy
      // is a slide later.
      else LateBounds(upTo, Saturating.subtract(upTo, g.slideMs * 1000), upTo)
    }
  }

  private def lateUpTo: Option[Long] = grid match {
    // Such a row is late when the last of its windows is closed.
    case Some(g) if isBeforeWindows && lateMs < EndOfTime.Ms =>
      Some(g.inMicros.firstOpenFrame(EndOfTime.micros(lateMs)) - 1)
    case _ => DropLateExec.lateUpTo(lateMs, isInclusive || isWindowed)
  }

  /** The time of the row itself, if the column that its windows were made from is still there. */
  private def timeOfRow: Expression = eventTime.getOrElse(decisive)

  private def lateLog: LateLog = {
    val text = LateText(
      lateMs,
      timeOfRow,
      child.output,
      from,
      substream,
      conf.sessionLocalTimeZone,
      Settings.LateLogPayloadChars.in(conf)
    )
    val windows = grid.filter(_ => isBeforeWindows || eventTime.isDefined).map(MissedWindows(_))
    val maxListed = Settings.WindowsMaxPerRow.in(conf)
    val missed = LateWindows(timeOfRow, child.output, lateMs, windows, maxListed)
    val files = folder.filter(_ => lateUpTo.isDefined).map(lateFiles(_, missed))
    LateLog(text, late, longMetric("numLateRows"), longMetric("numPartlyLate"), missed, files)
  }

  private def lateFiles(to: LateFolder, missed: LateWindows): LateFiles = LateFiles(
    to,
    missed,
    substream,
    ParquetRows.of(session, LateFolder.schema(to.row)),
    longMetric("numNotWritten")
  )

  /** Also if no row can be late: a query that was set back begins without a watermark. */
  private def removeLeftovers(): Unit =
    folder.foreach(_.files.removeLeftovers(SparkInternals.hadoopConf(session)))

  /**
   * Whether a copy of a row is the one in the latest window: if that copy is late, all copies are.
   */
  private def lastWindow: Option[Expression] = for {
    g <- overlapping
    column <- eventTime
  } yield {
    import WindowTimes.{literal, micros}
    // The time of a window is a millisecond before its end.
    lazy val end =
      if (WindowMark.hasRole(time, WindowRole.Time)) WindowTimes.plus(micros(decisive), 1)
      else micros(decisive)
    WindowMark.of(time) match {
      case None =>
        LessThan(Subtract(micros(column), micros(GetStructField(time, 0))), literal(g.slideMs))
      // The windows of a row all begin at the same time; only the last one ends where the next
      // windows begin.
      case Some(mark) if mark.sharesStart =>
        EqualTo(end, WindowTimes.floor(end, g.sizeMs, g.offsetMs))
      case Some(_) =>
        GreaterThan(Subtract(end, micros(column)), literal(g.sizeMs - g.slideMs))
    }
  }

  override protected def doExecute(): RDD[InternalRow] = {
    removeLeftovers()
    bounds.fold(child.execute())(withoutLate)
  }

  private def withoutLate(late: LateBounds): RDD[InternalRow] = {
    val log = lateLog
    val columns = child.output
    val timeAndLast = Seq(decisive, lastWindow.getOrElse(Literal.TrueLiteral))
    child.execute().mapPartitionsWithIndex { (partition, rows) =>
      val pass = log.begin(partition)
      val times = UnsafeProjection.create(timeAndLast, columns)
      rows.filter { row =>
        val t = times(row)
        t.isNullAt(0) || {
          val time = t.getLong(0)
          if (late.isDropped(time, t.getBoolean(1))) log.note(row, pass, isPartly = false)
          else if (late.isPartly(time)) log.note(row, pass, isPartly = true)
          time > late.upTo
        }
      }
    }
  }

  override def inputRDDs(): Seq[RDD[InternalRow]] = child.asInstanceOf[CodegenSupport].inputRDDs()

  /**
   * The names of the log and of the pass in the code that is being generated. A child may ask for
   * the code of a row at several places, and all rows of a partition belong to one pass.
   */
  @transient private var generated: DropLateExec.Generated = _

  override protected def doProduce(ctx: CodegenContext): String = {
    removeLeftovers()
    val log = ctx.addReferenceObj("lateLog", lateLog)
    val pass = ctx.addMutableState(classOf[LateLog.Pass].getName, "latePass")
    ctx.addPartitionInitializationStatement(s"$pass = $log.begin(partitionIndex);")
    generated = DropLateExec.Generated(log, pass)
    child.asInstanceOf[CodegenSupport].produce(ctx, this)
  }

  override def doConsume(ctx: CodegenContext, input: Seq[ExprCode], row: ExprCode): String =
    bounds.fold(consume(ctx, input))(withoutLate(ctx, input, _))

  private def withoutLate(
      ctx: CodegenContext,
      input: Seq[ExprCode],
      bounds: LateBounds
  ): String = {
    val late = ctx.addReferenceObj("late", bounds)
    val isDropped = ctx.freshName("isDropped")
    ctx.INPUT_ROW = null
    ctx.currentVars = input
    def code(e: Expression): ExprCode =
      BindReferences.bindReference(e, child.output).genCode(ctx)
    val t = code(decisive)
    val last = code(lastWindow.getOrElse(Literal.TrueLiteral))
    // In a loop of its own, as in Spark's filter: Spark may move this code into a function without
    // a loop.
    s"""
       |do {
       |  ${t.code}
       |  if (!${t.isNull} && ${t.value} <= $late.reach()) {
       |    ${last.code}
       |    boolean $isDropped = $late.isDropped(${t.value}, ${last.value});
       |    if ($isDropped || $late.isPartly(${t.value})) {
       |      ${noteRow(ctx, input, s"!$isDropped")}
       |    }
       |    if (${t.value} <= $late.upTo()) continue;
       |  }
       |  ${consume(ctx, input)}
       |} while (false);
     """.stripMargin
  }

  /**
   * Evaluates all columns, but only for a late row: other rows pass on with their columns
   * unevaluated.
   */
  private def noteRow(ctx: CodegenContext, input: Seq[ExprCode], isPartly: String): String = {
    ctx.currentVars = input.map(_.copy())
    val columns = child.output.zipWithIndex.map { case (a, i) =>
      BoundReference(i, a.dataType, a.nullable)
    }
    val row = GenerateUnsafeProjection.createCode(ctx, columns)
    ctx.currentVars = input
    s"""
       |${row.code}
       |${generated.log}.note(${row.value}, ${generated.pass}, $isPartly);
     """.stripMargin
  }

  /** The operator and what it runs on, for `EXPLAIN`. */
  override def describe: String = s"$operator: ${WatermarkText.of(times, time, key)}"

  override protected def withNewChildInternal(newChild: SparkPlan): DropLateExec =
    copy(child = newChild)
}

object DropLateExec {

  /** Names in the generated code. */
  private final case class Generated(log: String, pass: String)

  /**
   * The last time, in µs, at which a row is late. A window that ends at the watermark is closed; a
   * time at the watermark is late only if the bound is inclusive. At the end of time every time is
   * late. `None` if none is.
   */
  def lateUpTo(lateMs: Long, isInclusive: Boolean): Option[Long] =
    if (lateMs <= OperatorBatch.NothingLate) None
    else {
      val micros = EndOfTime.micros(lateMs)
      Some(if (isInclusive || micros == EndOfTime.AfterAllMicros) micros else micros - 1)
    }
}
