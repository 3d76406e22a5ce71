package tidegate.sql

import org.apache.spark.sql.catalyst.analysis._
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.tidegate.LaterKeywords
import org.apache.spark.sql.types.{DataType, NullType, StringType}
import org.apache.spark.unsafe.types.UTF8String
import tidegate.errors.LaterSparkErrors

/**
 * A call of a table function, as it was written.
 *
 * @param child
 *   the table argument: as a child it is resolved like any other table
 * @param arguments
 *   the other arguments in their order, named arguments as `NamedArgumentExpression`
 * @param partitionBy
 *   the keys of `PARTITION BY` after the table argument
 */
private[tidegate] final case class EventTimeCall(
    function: EventTimeFunction,
    child: LogicalPlan,
    arguments: Seq[Expression],
    partitionBy: Seq[Expression],
    table: TableArgument
) extends UnaryNode {

  override lazy val resolved: Boolean = false

  override def nodeName: String = function.name

  override protected def stringArgs: Iterator[Any] = (arguments ++ partitionBy).iterator

  override def output: Seq[Attribute] = Nil

  override protected def withNewChildInternal(newChild: LogicalPlan): EventTimeCall =
    copy(child = newChild)
}

private[tidegate] object EventTimeCall {

  /**
   * The call, if it is one of ours: only a call with a `DESCRIPTOR` is, so that a user's function
   * with the same name keeps working.
   *
   * @param isStream
   *   whether the call was written as `STREAM <call>`
   */
  def claim(call: UnresolvedTableValuedFunction, isStream: Boolean = false): Option[LogicalPlan] =
    for {
      function <- functionOf(call)
      if hasDescriptor(call)
    } yield of(function, call, isStream)

  /** Whether one of the arguments is a `DESCRIPTOR`. */
  def hasDescriptor(call: UnresolvedTableValuedFunction): Boolean =
    call.functionArgs.exists(a => isDescriptor(value(a)))

  /** Our function with the name of a call. */
  def functionOf(call: UnresolvedTableValuedFunction): Option[EventTimeFunction] = call.name match {
    case Seq(name) => EventTimeFunction.of(name)
    case _         => None
  }

  /** The call as a call of `function`, even without a `DESCRIPTOR`. */
  def of(
      function: EventTimeFunction,
      call: UnresolvedTableValuedFunction,
      isStream: Boolean
  ): LogicalPlan =
    CurrentOrigin.withOrigin(call.origin) {
      val tableAt = call.functionArgs.indexWhere(isTable(function, _)) match {
        case -1 if call.functionArgs.headOption.exists(isName) => 0
        case i                                                 => i
      }
      val arguments = call.functionArgs.zipWithIndex.collect {
        case (other, i) if i != tableAt => ofArgument(function, other)
      }
      val argument = call.functionArgs.lift(tableAt).map(value)
      val child = argument.flatMap(tableOf)
      val (partitionBy, hasOrder) = argument
        .collect { case t: FunctionTableSubqueryArgumentExpression =>
          t.partitionByExpressions -> (t.orderByExpressions.nonEmpty || t.withSinglePartition)
        }
        .getOrElse(Nil -> false)
      EventTimeCall(
        function,
        child.getOrElse(OneRowRelation()),
        arguments,
        partitionBy,
        TableArgument(child.isEmpty, hasOrder, isStream)
      )
    }

  /** An argument without its name. */
  def value(argument: Expression): Expression = argument match {
    case NamedArgumentExpression(_, value) => value
    case other                             => other
  }

  private def isDescriptor(e: Expression): Boolean = e match {
    case f: UnresolvedFunction =>
      f.nameParts.size == 1 && f.nameParts.head.equalsIgnoreCase("descriptor")
    case _ => false
  }

  /** Whether an argument is a table, by its form or by its name. */
  private def isTable(function: EventTimeFunction, argument: Expression): Boolean =
    argument match {
      case NamedArgumentExpression(name, _) =>
        function.parameter(name).contains(Parameter.Data)
      case _: FunctionTableSubqueryArgumentExpression => true
      case s: ScalarSubquery                          => s.outerAttrs.isEmpty
      case _                                          => false
    }

  private def isName(e: Expression): Boolean = e match {
    case _: UnresolvedAttribute | _: ExpressionWithUnresolvedIdentifier => true
    case _                                                              => false
  }

  private def tableOf(e: Expression): Option[LogicalPlan] =
    CurrentOrigin.withOrigin(e.origin) {
      e match {
        case t: FunctionTableSubqueryArgumentExpression => Some(t.plan)
        case s: ScalarSubquery                          => Some(s.plan)
        case UnresolvedAttribute(nameParts)             => Some(relation(nameParts))
        case i: ExpressionWithUnresolvedIdentifier      =>
          Some(new PlanWithUnresolvedIdentifier(i.identifierExpr, relation))
        case _ => None
      }
    }

  private def relation(nameParts: Seq[String]): LogicalPlan = UnresolvedRelation(nameParts)

  private def ofArgument(function: EventTimeFunction, argument: Expression): Expression =
    argument match {
      case n @ NamedArgumentExpression(name, value) =>
        val isPolicy = function.parameter(name).exists(_.isPolicy)
        CurrentOrigin.withOrigin(n.origin) {
          NamedArgumentExpression(name, ofValue(value, isPolicy))
        }
      case value => ofValue(value, isPolicy = false)
    }

  private def ofValue(e: Expression, isPolicy: Boolean): Expression =
    CurrentOrigin.withOrigin(e.origin) {
      e match {
        case f: UnresolvedFunction if isDescriptor(f) => Descriptor(f.arguments.map(column))
        case f: UnresolvedFunction if isPolicy && f.nameParts.size == 1 =>
          PolicyCall(f.nameParts.head, f.arguments)
        case other => other
      }
    }

  private def column(e: Expression): Either[String, Seq[String]] = e match {
    // Spark 4.0 puts values into the finished plan; later versions put them into the text.
    case _: NamedParameter | _: PosParameter if LaterKeywords.isMissing(LaterKeywords.STREAM) =>
      CurrentOrigin.withOrigin(e.origin)(throw LaterSparkErrors.parameterInDescriptor())
    case UnresolvedAttribute(nameParts) => Right(nameParts)
    // In the spelling of `Dataset.col`, so that a name can be a parameter: DESCRIPTOR(:name).
    case Literal(name: UTF8String, _: StringType) =>
      Right(UnresolvedAttribute.parseAttributeName(name.toString))
    case i: ExpressionWithUnresolvedIdentifier =>
      i.identifierExpr match {
        case p @ (_: NamedParameter | _: PosParameter) => column(p)
        case Literal(name: UTF8String, _: StringType)  =>
          Right(CatalystSqlParser.parseMultipartIdentifier(name.toString))
        case other => Left(s"IDENTIFIER(${other.sql})")
      }
    case other => Left(other.sql)
  }
}

/**
 * Properties of the table argument that are checked before the table is resolved.
 *
 * @param isMissing
 *   whether the call has none
 * @param hasOrder
 *   whether it has an `ORDER BY` or `WITH SINGLE PARTITION`, which have no meaning
 * @param isStream
 *   whether `STREAM` stands before the call, where it has no meaning
 */
private[tidegate] final case class TableArgument(
    isMissing: Boolean = false,
    hasOrder: Boolean = false,
    isStream: Boolean = false
)

/**
 * `DESCRIPTOR(a, b)`. Its columns are names, not expressions: as expressions, Spark would resolve a
 * name that is not in the table to a session variable.
 *
 * @param columns
 *   the parts of each name; `Left` with the text of anything that is not a name
 */
private[tidegate] final case class Descriptor(columns: Seq[Either[String, Seq[String]]])
    extends LeafExpression
    with Unevaluable {
  override def nullable: Boolean = false
  override def dataType: DataType = NullType
  override def sql: String =
    columns.map(_.fold(identity, _.mkString("."))).mkString("DESCRIPTOR(", ", ", ")")
  override def toString: String = sql
}

/** `fixed_lag(5 seconds)` as an argument; it is not a function of Spark. */
private[tidegate] final case class PolicyCall(name: String, children: Seq[Expression])
    extends Expression
    with Unevaluable {
  override def nullable: Boolean = false
  override def dataType: DataType = NullType
  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): PolicyCall =
    copy(children = newChildren)
}
