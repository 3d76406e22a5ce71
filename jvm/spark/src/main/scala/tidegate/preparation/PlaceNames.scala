package tidegate.preparation

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import tidegate.errors.OperatorErrors
import tidegate.operators.StatefulOperators
import tidegate.plans.{KeyedWatermark, NamedOperator}

/**
 * Moves each name down to its operator, the first with state below. A name may stand above filters,
 * projections and the like, but not above a union of several operators.
 */
private[tidegate] object PlaceNames {

  /**
   * @throws AnalysisException
   *   if a name has no operator or more than one, if an operator has two names, or if a name is
   *   used twice
   */
  def apply(plan: LogicalPlan): LogicalPlan = {
    val names = plan.collect { case n: NamedOperator => n.name }
    names.diff(names.distinct).headOption.foreach { name =>
      throw OperatorErrors.nameTwice(name)
    }
    plan
      .collect { case k: KeyedWatermark => k.spec.name }
      .flatMap(watermark => names.find(n => watermark == n || watermark.startsWith(s"$n.")))
      .foreach(name => throw OperatorErrors.nameReserved(name, "a watermark of the query"))
    place(plan)
  }

  /** For a query without keyed watermarks: its operators have no names. */
  def refuse(plan: LogicalPlan): LogicalPlan = {
    plan.foreach {
      case n: NamedOperator => throw OperatorErrors.nameWithoutOperator(n.name)
      case _                => ()
    }
    plan
  }

  private def place(plan: LogicalPlan): LogicalPlan = plan match {
    case NamedOperator(name, child) =>
      CurrentOrigin.withOrigin(plan.origin)(placed(name, child))
    case other => other.mapChildren(place)
  }

  private def placed(name: String, plan: LogicalPlan): LogicalPlan = plan match {
    case NamedOperator(other, _) => throw OperatorErrors.namesOfOne(name, other)
    case operator if StatefulOperators.isOne(operator) =>
      NamedOperator(name, operator.mapChildren(place))
    case other =>
      other.children.filter(hasOperator) match {
        case Seq(one) =>
          other.mapChildren(child => if (child eq one) placed(name, child) else place(child))
        case Seq() => throw OperatorErrors.nameWithoutOperator(name)
        case many  => throw OperatorErrors.nameOfSeveral(name, many.flatMap(operatorNames))
      }
  }

  private def hasOperator(plan: LogicalPlan): Boolean = plan.exists { node =>
    StatefulOperators.isOne(node)
  }

  private def operatorNames(plan: LogicalPlan): Seq[String] =
    StatefulOperators.name(plan).map(Seq(_)).getOrElse(plan.children.flatMap(operatorNames))
}
