package tidegate.operators

import org.apache.spark.sql.catalyst.expressions._

/** The predicates of a condition that must all hold, in their simplest words. */
private[tidegate] object Conjunction {

  /**
   * Splits a predicate. `BETWEEN` is two comparisons that share an expression, which is inlined; a
   * `NOT` goes into what it negates.
   */
  def split(predicate: Expression): Seq[Expression] = predicate match {
    case r: RuntimeReplaceable => split(r.replacement)
    case w: With               => split(inlined(w))
    case And(l, r)             => split(l) ++ split(r)
    case Not(negated)          => splitNot(negated)
    case other                 => Seq(other)
  }

  /** Of a NULL, neither a comparison nor its opposite is true. */
  private def splitNot(negated: Expression): Seq[Expression] = negated match {
    case r: RuntimeReplaceable    => splitNot(r.replacement)
    case w: With                  => splitNot(inlined(w))
    case Or(l, r)                 => splitNot(l) ++ splitNot(r)
    case Not(e)                   => split(e)
    case LessThan(l, r)           => Seq(GreaterThanOrEqual(l, r))
    case LessThanOrEqual(l, r)    => Seq(GreaterThan(l, r))
    case GreaterThan(l, r)        => Seq(LessThanOrEqual(l, r))
    case GreaterThanOrEqual(l, r) => Seq(LessThan(l, r))
    case other                    => Seq(Not(other))
  }

  /** The expression with its shared parts in their places. */
  def inlined(w: With): Expression = w.child.transform { case r: CommonExpressionRef =>
    w.defs.find(_.id == r.id).fold[Expression](r)(_.child)
  }
}
