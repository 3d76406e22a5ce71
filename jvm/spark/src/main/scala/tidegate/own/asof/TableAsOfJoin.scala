package tidegate.own.asof

import java.util.concurrent.TimeUnit

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.CollectList
import org.apache.spark.sql.catalyst.plans.LeftOuter
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types.ArrayType
import tidegate.plans.AsOfTable

/**
 * The as-of join with versions that are all there, of Spark's own operators: the versions of each
 * key become an array in the order of their times, in which each left row finds its version.
 *
 * Of versions with the same time, the one with the greatest columns is the last.
 */
private[tidegate] object TableAsOfJoin {

  /** The rows of `join`, whose right side is no stream. */
  def of(join: StreamAsOfJoin): LogicalPlan = {
    val table = versions(join)
    val (keys, array) = (table.output.init, table.output.last)
    val equal = join.leftKeys
      .zip(keys)
      .map { case (l, r) => EqualTo(l, r) }
      .reduce[Expression](And(_, _))
    val beside = Join(join.left, table, LeftOuter, Some(equal), JoinHint.NONE)
    val tolerance = join.toleranceMs.map(TimeUnit.MILLISECONDS.toMicros)
    val version = Alias(VersionAsOf(array, join.leftTime, tolerance), "version")()
    val found = Project(join.left.output :+ version, beside)
    val paired = join.condition.fold[LogicalPlan](found)(withCondition(join, found, _))
    val chosen = paired.output.last
    val result = if (join.isOuter) paired else Filter(IsNotNull(chosen), paired)
    Project(join.left.output ++ columns(join, chosen), result)
  }

  /** A row for each key, whose last column has the versions. */
  private def versions(join: StreamAsOfJoin): LogicalPlan = {
    val isKnown = (join.rightTime +: join.rightKeys).map(IsNotNull(_)).reduce[Expression](And(_, _))
    val keys = join.rightKeys.zipWithIndex.map { case (key, i) => Alias(key, s"key_$i")() }
    val order = join.rightTime +: join.right.output.filter(c => RowOrdering.isOrderable(c.dataType))
    val version = CreateNamedStruct(
      Seq(
        Literal("order"),
        CreateStruct.create(order),
        Literal("row"),
        CreateStruct.create(join.right.output)
      )
    )
    val rows = Project(keys :+ Alias(version, "version")(), Filter(isKnown, join.right))
    val ofKeys = rows.output.init
    val list = Alias(CollectList(rows.output.last).toAggregateExpression(), "versions")()
    val grouped = Aggregate(ofKeys, ofKeys :+ list, rows)
    Project(ofKeys :+ Alias(sorted(grouped.output.last), "versions")(), grouped)
  }

  private def sorted(versions: Attribute): Expression = {
    val element = versions.dataType match {
      case ArrayType(struct, _) => struct
      case other                => throw new IllegalStateException(s"no versions: ${other.sql}")
    }
    val (one, other) =
      (NamedLambdaVariable("one", element, false), NamedLambdaVariable("other", element, false))
    def isLess(a: Expression, b: Expression) =
      LessThan(GetStructField(a, 0), GetStructField(b, 0))
    val compared =
      If(isLess(one, other), Literal(-1), If(isLess(other, one), Literal(1), Literal(0)))
    ArraySort(
      versions,
      LambdaFunction(compared, Seq(one, other)),
      allowNullComparisonResult = false
    )
  }

  /** The rows with their version, if the condition is true of both. */
  private def withCondition(
      join: StreamAsOfJoin,
      found: Project,
      condition: Expression
  ): LogicalPlan = {
    val version = found.output.last
    val places = join.right.output.zipWithIndex.map { case (a, i) => a.exprId -> i }.toMap
    val ofVersion = condition.transform {
      case a: Attribute if places.contains(a.exprId) =>
        GetStructField(version, places(a.exprId), Some(a.name))
    }
    val chosen = If(
      And(IsNotNull(version), Coalesce(Seq(ofVersion, Literal.FalseLiteral))),
      version,
      Literal(null, version.dataType)
    )
    Project(join.left.output :+ Alias(chosen, "version")(), found)
  }

  private def columns(join: StreamAsOfJoin, version: Attribute): Seq[NamedExpression] =
    join.right.output.zipWithIndex.map { case (a, i) =>
      Alias(GetStructField(version, i, Some(a.name)), a.name)(
        a.exprId,
        a.qualifier,
        Some(AsOfTable.withoutTime(a).metadata)
      )
    }
}
