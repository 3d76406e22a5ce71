package tidegate.builders

import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeReference,
  Expression,
  InSubquery,
  NamedExpression,
  Nondeterministic,
  SubqueryExpression,
  UserDefinedExpression
}
import org.apache.spark.sql.catalyst.planning.ExtractEquiJoinKeys
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.plans.{Inner, LeftOuter}
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.tidegate.SparkInternals
import org.apache.spark.sql.{Column, DataFrame, Dataset}
import tidegate.checks.{CheckJoins, LostTime}
import tidegate.columns.{EventTimeTag, WindowMark}
import tidegate.errors.{AsOfErrors, WatermarkErrors}
import tidegate.operators.KeyedTimes
import tidegate.own.asof.{AsOfState, StreamAsOfJoin, TableAsOfJoin}
import tidegate.plans.{BoundsFollow, NamedOperator}
import tidegate.request.{Durations, NamedColumn, WatermarkRequest}

/** Builds as-of joins; the one place where their arguments are checked. */
private[tidegate] object AsOfJoins {

  /**
   * What is said of an as-of join beside its key.
   *
   * @param leftTime
   *   the name of the time of the left side; none: its only time
   * @param rightTime
   *   the same of the right side
   * @param tolerance
   *   how much older than a row its version may be
   * @param isInSql
   *   whether words of SQL name the time of the left side
   */
  final case class Arguments(
      leftTime: Option[String],
      rightTime: Option[String],
      tolerance: Option[String],
      isInSql: Boolean = false
  )

  /** Implements the method `asOfJoin` of a Dataset; see there. */
  def join(
      left: Dataset[_],
      right: Dataset[_],
      on: Either[Seq[String], Column],
      how: String,
      arguments: Arguments
  ): DataFrame = {
    WatermarkRequest.checkExtension(left)
    // Spark's own join resolves names and condition, and becomes one as of a time.
    val joined = CheckJoins.beforeBounds {
      on.fold(left.join(right, _, how), left.join(right, _, how))
    }
    val plan = over(SparkInternals.analyzed(joined), arguments)
    SparkInternals.withPlan(joined, plan.getOrElse(throw AsOfErrors.joinType(how)))
  }

  /** An analyzed table whose join becomes one as of a time; `None` if the table is not a join. */
  def over(table: LogicalPlan, arguments: Arguments): Option[LogicalPlan] = table match {
    case j: Join          => Some(of(j, arguments))
    case p: Project       => over(p.child, arguments).map(withMarks(p, _))
    case s: SubqueryAlias => over(s.child, arguments)
    case v: View          => over(v.child, arguments)
    case b: BoundsFollow  => over(b.child, arguments)
    case n: NamedOperator => over(n.child, arguments).map(join => n.copy(child = join))
    case _                => None
  }

  /** Spark puts a projection above a join by names. */
  private def withMarks(project: Project, join: LogicalPlan): Project = {
    val columns = project.projectList.map(_.transform { case a: AttributeReference =>
      join.output.find(_.exprId == a.exprId).fold(a)(c => a.withMetadata(c.metadata))
    })
    Project(columns.map(_.asInstanceOf[NamedExpression]), join)
  }

  /** The join as one as of a time. */
  def of(join: Join, arguments: Arguments): LogicalPlan = {
    val isOuter = join.joinType match {
      case Inner     => false
      case LeftOuter => true
      case other     => throw AsOfErrors.joinType(other.sql)
    }
    if (join.right.isStreaming && !join.left.isStreaming) throw AsOfErrors.streamOfVersions()
    join.condition.flatMap(_.collectFirst(unfit)).foreach { found =>
      throw AsOfErrors.condition(toPrettySQL(found))
    }
    val leftTime = time(join.left, "left", arguments.leftTime, arguments.isInSql, join)
    val rightTime = time(join.right, "right", arguments.rightTime, isInSql = false, join)
    if (leftTime.dataType != rightTime.dataType)
      throw AsOfErrors.timeTypes(
        leftTime.name,
        leftTime.dataType,
        rightTime.name,
        rightTime.dataType
      )
    val toleranceMs = arguments.tolerance.map(Durations.parseMs("tolerance", _, 0L))
    join match {
      case ExtractEquiJoinKeys(_, leftKeys, rightKeys, condition, _, left, right, _) =>
        val made = StreamAsOfJoin(
          leftKeys,
          rightKeys,
          leftTime,
          rightTime,
          toleranceMs,
          isOuter,
          condition,
          AsOfState.of(leftTime, rightTime, leftKeys.zip(rightKeys), toleranceMs),
          None,
          left,
          right
        )
        if (right.isStreaming) made else TableAsOfJoin.of(made)
      case _ => throw AsOfErrors.withoutEquality()
    }
  }

  /** What has no one value for a row and a version. */
  private val unfit: PartialFunction[Expression, Expression] = {
    case e: Nondeterministic                          => e
    case in: InSubquery                               => in
    case e: SubqueryExpression                        => e
    case e: UserDefinedExpression if !e.deterministic => e
  }

  private def time(
      side: LogicalPlan,
      name: String,
      chosen: Option[String],
      isInSql: Boolean,
      join: Join
  ): Attribute = {
    val time = chosen.fold(onlyTime(side, name, join.right.isStreaming)) { column =>
      val argument = if (isInSql) AsOfErrors.InSql else s"The argument `${name}Time`"
      val found = NamedColumn.of(side, s"${name}Time", column) {
        AsOfErrors.timeNotFound(argument, column, name, side.output.map(_.name))
      }
      if (EventTimeTag.isTime(found)) found
      else throw AsOfErrors.timeNotTimestamp(argument, found.name, found.dataType)
    }
    // A table on the right side has all its versions: nothing waits.
    if (join.right.isStreaming) checkWatermark(side, time, name)
    time
  }

  /**
   * The only time with a watermark: a plain time is preferred to those of windows, and the end of a
   * window to its other times. Where no watermark is needed, without such a column there has to be
   * exactly one time column.
   */
  private def onlyTime(side: LogicalPlan, name: String, isKeyed: Boolean): Attribute = {
    val times = side.output.filter(EventTimeTag.isTime)
    val (ofWindows, plain) =
      times.filter(EventTimeTag.key(_).isDefined).partition(WindowMark.of(_).isDefined)
    val candidates = Seq(plain, ofWindows.filter(EventTimeTag.closesWindow), ofWindows)
      .find(_.nonEmpty)
      .getOrElse(if (isKeyed) Nil else times)
    candidates match {
      case Seq(one) => one
      case Seq()    =>
        throw LostTime
          .in(side)
          .filter(_ => isKeyed)
          .fold(AsOfErrors.timeNeeded(s"${name}Time", name, Nil, isKeyed))(_.error)
      case several =>
        throw AsOfErrors.timeNeeded(s"${name}Time", name, several.map(_.name), isKeyed)
    }
  }

  /**
   * Behind a reference to a common table expression only the columns are known before the query
   * starts.
   */
  private def checkWatermark(side: LogicalPlan, time: Attribute, name: String): Unit =
    EventTimeTag.key(time) match {
      case None =>
        throw LostTime.of(side, time).fold(AsOfErrors.notKeyed(time.name, name))(_.error)
      case Some(key) =>
        val isKnown = !side.exists(_.isInstanceOf[CTERelationRef])
        if (isKnown && !KeyedTimes.of(side).contains(key)) {
          val reason = KeyedTimes.whyMissing(side, key)
          throw WatermarkErrors.keyNotAvailable(
            StreamAsOfJoin.StateName,
            time.name,
            key,
            reason
          )
        }
    }
}
