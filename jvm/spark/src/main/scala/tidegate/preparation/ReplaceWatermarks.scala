package tidegate.preparation

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.internal.SQLConf
import tidegate.analysis.KeyTransformWithStateOutput
import tidegate.clock.ClockTable
import tidegate.columns.EventTimeTag
import tidegate.core.policy.PolicySpec
import tidegate.errors.ReplacementErrors
import tidegate.plans.{KeyedWatermark, WatermarkSpec}
import tidegate.settings.{Defaults, Settings}
import tidegate.sources.CarryPartitions

/**
 * Makes a keyed watermark of every `withWatermark` of a query, if the session asks for it. The job
 * itself is not changed.
 *
 * Only at the start: then the whole plan is known, and Spark has checked it with its own
 * watermarks. Each watermark gets a key of its own; watermarks whose columns meet in a union share
 * one. The partitions of Kafka become substreams, also if the query has left their columns out.
 */
private[preparation] object ReplaceWatermarks {

  def apply(plan: LogicalPlan): LogicalPlan =
    if (isWanted(plan)) new ReplaceWatermarks(plan).replaced else plan

  /** Whether the session asks for it, and the query has watermarks of Spark's. */
  def isWanted(plan: LogicalPlan): Boolean =
    plan.exists(isOfSpark) && Settings.ReplaceWithWatermark.in(plan.conf)

  private def isOfSpark(plan: LogicalPlan): Boolean = plan match {
    case e: EventTimeWatermark => e.isStreaming
    case _                     => false
  }
}

private final class ReplaceWatermarks(plan: LogicalPlan) {
  import ReplaceWatermarks._

  private val ofSpark = plan.collect { case e: EventTimeWatermark if isOfSpark(e) => e }

  /** The keys that no watermark of the query has. */
  private val free: Seq[Byte] = {
    val taken = plan.collect { case k: KeyedWatermark => k.spec.key }
    (0 to Byte.MaxValue).map(_.toByte).filterNot(taken.contains)
  }

  def replaced: LogicalPlan = {
    check()
    val apart = keyed(free)
    val groups = united(apart)
    val keys = groups.distinct.zip(free).toMap
    val plan = keyed(groups.map(keys))
    if (Settings.SlowestDecides.in(plan.conf)) MovingRows(plan, isReplaced) else plan
  }

  private def isReplaced(k: KeyedWatermark): Boolean = free.contains(k.spec.key)

  private def check(): Unit = {
    if (ofSpark.size > free.size) throw ReplacementErrors.tooMany(ofSpark.size, free.size)
    ofSpark.foreach { e =>
      val time = e.eventTime
      if (EventTimeTag.isWindow(time)) throw ReplacementErrors.ofWindow(time.name)
      e.child
        .collectFirst {
          case below: EventTimeWatermark => below.eventTime.name
          case below: KeyedWatermark     => below.eventTime.name
        }
        .foreach(below => throw ReplacementErrors.redefined(time.name, below))
    }
    if (ofSpark.size > 1 && plan.conf.getConf(SQLConf.STREAMING_MULTIPLE_WATERMARK_POLICY) == "max")
      throw ReplacementErrors.policyMax(ofSpark.map(_.eventTime.name))
  }

  /** The plan in which the watermarks have these keys, in plan order. */
  private def keyed(keys: Seq[Byte]): LogicalPlan = {
    val next = keys.iterator
    withMarks(plan.transformDown {
      case e: EventTimeWatermark if isOfSpark(e) => keyed(e, next.next())
    })
  }

  private def keyed(watermark: EventTimeWatermark, key: Byte): LogicalPlan = {
    val lagMs = EventTimeWatermark.getDelayMs(watermark.delay)
    val spec = WatermarkSpec(
      watermark.eventTime.name,
      key,
      PolicySpec("fixedLag", Seq(lagMs)),
      emission = None,
      idleTimeoutMs = Some(Defaults.IdleTimeoutMs),
      maxFutureSkewMs = None
    )
    def over(input: LogicalPlan, substream: Seq[Attribute]) =
      KeyedWatermark(input, ClockTable.relation, watermark.eventTime, substream, spec)
    CarryPartitions(watermark.child) match {
      case Some((input, partitions)) if input.output.size > watermark.child.output.size =>
        Project(watermark.child.output, over(input, partitions))
      case Some((input, partitions)) => over(input, partitions)
      case None                      => over(watermark.child, Nil)
    }
  }

  /**
   * Gives the columns of a plan the keys of the watermarks below: Spark keeps copies of a column's
   * metadata in each node that uses the column, and in the windows that are made of it.
   */
  private def withMarks(plan: LogicalPlan): LogicalPlan = plan.transformUp {
    case k: KeyedWatermark                 => k
    case u: UpdateEventTimeWatermarkColumn => KeyTransformWithStateOutput.keyed(u)
    case node if node.children.isEmpty     => node
    case node                              =>
      val below = node.children.flatMap(_.output).map(a => a.exprId -> a).toMap
      def current(a: Attribute): Attribute = below.get(a.exprId) match {
        case Some(from) if EventTimeTag.isOurs(from.metadata) && from.metadata != a.metadata =>
          a.withMetadata(EventTimeTag.withMarksOf(a.metadata, from))
        case _ => a
      }
      val refreshed = node.transformExpressionsUp {
        case a: Attribute                                   => current(a)
        case made: Alias if made.explicitMetadata.isDefined => ofSources(made, node.children)
      }
      refreshed match {
        // The copies of a row, one for each of its sliding windows.
        case e: Expand =>
          e.copy(output = e.output.zipWithIndex.map { case (a, i) =>
            if (below.contains(a.exprId)) a
            else EventTimeTag.withKeyOf(a, e.projections.map(_(i)).flatMap(_.references))
          })
        case other => other
      }
  }

  private def ofSources(made: Alias, inputs: Seq[LogicalPlan]): Alias = {
    // The copies of a row for its windows are made by a generator, from the time.
    val sources = made.references.toSeq.flatMap { a =>
      inputs
        .collectFirst {
          case g: Generate if g.generatorOutput.exists(_.exprId == a.exprId) =>
            g.generator.references.toSeq
        }
        .getOrElse(Seq(a))
    }
    val now = EventTimeTag.withKeyOf(made.toAttribute, sources)
    Alias(made.child, made.name)(
      made.exprId,
      made.qualifier,
      Some(now.metadata),
      made.nonInheritableMetadataKeys
    )
  }

  /**
   * For each watermark, in plan order, the one whose key it shares: watermarks share a key if their
   * columns are at the same place of a union.
   */
  private def united(apart: LogicalPlan): Seq[Byte] = {
    val own = apart.collect { case k: KeyedWatermark if isReplaced(k) => k.spec.key }
    val meetings = apart.collect { case u: Union =>
      u.children.filter(_.isStreaming).map(_.output).transpose.map(_.flatMap(EventTimeTag.key(_)))
    }
    meetings.flatten.foldLeft(own) { (groups, keys) =>
      val meeting = own.zip(groups).collect { case (key, group) if keys.contains(key) => group }
      groups.map(group => if (meeting.contains(group)) meeting.min else group)
    }
  }
}
