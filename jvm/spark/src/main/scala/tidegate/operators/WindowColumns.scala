package tidegate.operators

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Generate, LogicalPlan}
import org.apache.spark.sql.types.LongType
import tidegate.columns.{WindowMark, WindowRole}
import tidegate.core.window.WindowGrid
import tidegate.plans.ColumnOrigin

/** Finds out how a window column was made. */
object WindowColumns {
  private val MicrosPerMs = 1000L

  /**
   * The grid of the windows in `column`, and the column that they were made from: as our own window
   * functions mark them, or as Spark's `window` function lowers them. `None` for sessions, for
   * windows of another origin, and where the branches of a union have different windows.
   */
  def grid(plan: LogicalPlan, column: Attribute): Option[(WindowGrid, Attribute)] =
    inAllBranches(plan, column)(ofBranch)(_._1)

  /**
   * The grid of the windows in `column`, even where the column that they were made from is gone.
   */
  def gridOf(plan: LogicalPlan, column: Attribute): Option[WindowGrid] =
    inAllBranches(plan, column) { (branch, own) =>
      WindowMark.of(own).flatMap(_.grid).orElse(ofBranch(branch, own).map(_._1))
    }(identity)

  private def ofBranch(plan: LogicalPlan, column: Attribute): Option[(WindowGrid, Attribute)] =
    WindowMark.of(column) match {
      case Some(mark) => for (g <- mark.grid; time <- timeOf(plan, column)) yield g -> time
      case None if column.metadata.contains(TimeWindow.marker) =>
        definition(plan, column).flatMap(fromDefinition)
      case None => None
    }

  /**
   * What is found in the first branch of a union, if all branches have the same grid: the metadata
   * of a column of a union is that of its first branch, and says nothing of the others.
   */
  private def inAllBranches[T](plan: LogicalPlan, column: Attribute)(
      find: (LogicalPlan, Attribute) => Option[T]
  )(grid: T => WindowGrid): Option[T] = {
    val found = ColumnOrigin.branches(plan, column).map { case (branch, own) => find(branch, own) }
    found.head.filter(_ => found.map(_.map(grid)).distinct.size == 1)
  }

  /** The time column from which the windows in one of our columns were made, if it is there. */
  def timeOf(plan: LogicalPlan, column: Attribute): Option[Attribute] =
    madeOf(plan, column).map(_._1)

  /**
   * The time column from which the windows in one of our columns were made, and the plan that has
   * it.
   */
  @tailrec
  def madeOf(plan: LogicalPlan, column: Attribute): Option[(Attribute, LogicalPlan)] = {
    val origin = ColumnOrigin.inFirstBranch(plan, column)
    origin.computedBy.map(_.references.toSeq) match {
      // An end that was added later is computed from the start.
      case Some(Seq(from)) if WindowMark.hasRole(from, WindowRole.Start) =>
        madeOf(origin.input, from)
      case Some(Seq(from)) =>
        Some(generated(origin.input, from).getOrElse(from) -> origin.input)
      case _ => None
    }
  }

  /**
   * If a generator right below makes several windows for each row, the time column that it reads.
   */
  private def generated(plan: LogicalPlan, value: Attribute): Option[Attribute] = plan match {
    case g: Generate if g.generatorOutput.exists(_.exprId == value.exprId) =>
      g.generator.references.headOption
    case _ => None
  }

  /**
   * Whether two columns of a plan are of the same window of a row. Windows of the two sides of a
   * join may look the same, and are not.
   */
  def areOfOneWindow(plan: LogicalPlan, a: Attribute, b: Attribute): Boolean =
    a.exprId == b.exprId || {
      def maker(column: Attribute) = ColumnOrigin.inFirstBranch(plan, column).node
      WindowMark.of(a).exists(mark => WindowMark.of(b).exists(mark.isOfSameWindow)) &&
      (maker(a) eq maker(b))
    }

  private def definition(plan: LogicalPlan, column: Attribute): Option[Expression] = {
    val origin = ColumnOrigin.inFirstBranch(plan, column)
    origin.computedBy.map(lastOfGenerated(_, origin.input))
  }

  /**
   * For windows that are generated from a list of starts, the last window: Spark defines it from
   * the time.
   */
  private def lastOfGenerated(window: Expression, below: LogicalPlan): Expression = below match {
    case Generate(Explode(s: Sequence), _, _, _, Seq(start), _) =>
      window.transform { case a: Attribute if a.exprId == start.exprId => s.stop }
    case _ => window
  }

  /**
   * Spark computes the start from `(time - offset) % slide`, and the end as `start + size`, in µs.
   */
  private def fromDefinition(window: Expression): Option[(WindowGrid, Attribute)] =
    for {
      (time, offset, slide) <- window.collectFirst {
        case Remainder(
              Subtract(PreciseTimestampConversion(time: Attribute, _, _), MicrosLiteral(offset), _),
              MicrosLiteral(slide),
              _
            ) =>
          (time, offset, slide)
      }
      size <- window.collectFirst {
        case PreciseTimestampConversion(Add(_, MicrosLiteral(size), _), LongType, _) => size
      }
      if Seq(slide, offset, size).forall(_ % MicrosPerMs == 0)
    } yield WindowGrid(slide / MicrosPerMs, offset / MicrosPerMs, size / MicrosPerMs) -> time

  private object MicrosLiteral {
    def unapply(e: Expression): Option[Long] = e match {
      case Literal(micros: Long, LongType) => Some(micros)
      case _                               => None
    }
  }
}
