package tidegate.snapshot

import java.time.Instant

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.sql.functions._
import org.apache.spark.sql.tidegate.{CheckpointLogs, SparkInternals}
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.sql.{DataFrame, SparkSession}
import tidegate.clock.{ClockOffset, StateCheckpoint}
import tidegate.core.clock.{ClockState, NodeMark, NodeState}
import tidegate.errors.SnapshotErrors
import tidegate.own.aggregates.FrameStore
import tidegate.own.due.DueSchema
import tidegate.own.order.{EventTimeOrder, OrderStateSchema}
import tidegate.own.windows.FrameAggregate

/** Reads what a snapshot or a checkpoint holds, without starting its query. */
private[tidegate] final class Inspector(location: String, session: SparkSession) extends Logging {
  import Inspector._

  private val logs = new CheckpointLogs(location, session)
  private val folder = new SnapshotFolder(location, session)

  /**
   * @param countRows
   *   whether Spark reads the states to count their rows
   * @throws AnalysisException
   *   if there is neither a snapshot nor a checkpoint, or no committed batch
   */
  def inspect(countRows: Boolean): Inspection = SparkInternals.inSession(session) {
    if (folder.isCutOff) throw SnapshotErrors.cutOff(location)
    val manifest = if (folder.isComplete) Some(folder.checked) else None
    val checkpoint = new CheckpointFiles(location, session)
    val (batchId, queryId) = (checkpoint.batchId, logs.queryId.getOrElse(""))
    val offsets = logs.offsets(batchId)
    val clock = new StateCheckpoint(location, session).clock
    val bytes = checkpoint.all
      .collect { case FileToCopy(_, OfOperator(id), length, _) => id.toLong -> length }
      .groupMapReduce(_._1)(_._2)(_ + _)
    Inspection(
      location,
      manifest.fold(queryId)(_.query),
      queryId,
      batchId,
      checkpoint.begun,
      Instant.ofEpochMilli(checkpoint.batchTimeMs),
      manifest.map(m => Instant.ofEpochMilli(m.exportedAtMs)),
      clock.fold(ofSpark(batchId))(watermarks) ++
        operators(clock, batchId, bytes, countRows) ++
        sources(offsets, manifest.fold(Map.empty[String, String])(_.sources))
    )
  }

  private def ofSpark(batchId: Long): Seq[InspectedStage] = {
    val ms = Some(logs.watermarkMs(batchId)).filter(_ > 0)
    Seq(InspectedStage("spark", "watermark", watermark = instant(ms), detail = "Spark's watermark"))
  }

  private def watermarks(clock: ClockState): Seq[InspectedStage] =
    clock.nodes.toSeq.sortBy(_._1).flatMap { case (name, mark) =>
      val state = clock.substreams.getOrElse(name, NodeState.empty)
      watermark(name, mark, state) +: state.substreams.sortBy(_.name).map { s =>
        InspectedStage(
          s.name,
          "substream",
          Some(name),
          instant(s.watermarkMs),
          detail = s"last rows at ${Instant.ofEpochMilli(s.activeAtMs)}"
        )
      }
    }

  private def watermark(name: String, mark: NodeMark, state: NodeState): InspectedStage = {
    val origin = state.origin.map { o =>
      val columns = if (o.columns.isEmpty) "one substream" else o.columns.mkString("by ", ", ", "")
      s"key ${mark.key}, ${o.policy}, $columns"
    }
    InspectedStage(
      name,
      "watermark",
      watermark = instant(mark.watermarkMs),
      idle = Some(mark.idle),
      detail = origin.getOrElse(s"key ${mark.key}")
    )
  }

  private def operators(
      clock: Option[ClockState],
      batchId: Long,
      bytes: Map[Long, Long],
      countRows: Boolean
  ): Seq[InspectedStage] = {
    val states = CheckpointState.all(location, batchId, session)
    val names = new OperatorNames(clock, states.map(s => s.id -> s.operator))
    states.map { state =>
      val marks = names.marks(state.id)
      InspectedStage(
        names(state.id),
        "operator",
        watermark = instant(marks.flatMap(_.evictionMs).minOption),
        idle = marks.headOption.map(_.idle),
        keys = state.schemas.headOption.map { case (_, keys, _) => ddl(keys) },
        rows = if (countRows) rows(state, batchId) else None,
        bytes = bytes.get(state.id),
        detail = Seq(
          Some(s"${state.operator} in state/${state.id}, ${state.partitions} partitions"),
          marks.flatMap(_.frames).headOption.map(_.toString),
          values(state)
        ).flatten.mkString("; ")
      )
    }
  }

  /** The values of the state, as text. */
  private def values(state: CheckpointState): Option[String] = {
    val values = state.schemas.map { case (name, _, value) =>
      if (state.schemas.size == 1) ddl(value) else s"$name: ${ddl(value)}"
    }
    Option.when(values.nonEmpty)(s"values ${values.mkString("; ")}")
  }

  /** Without the comments of columns, which are about the query and not about the state. */
  private def ddl(schema: StructType): String =
    StructType(schema.map(f => StructField(f.name, f.dataType, f.nullable))).toDDL

  /**
   * How many rows the state of an operator has, as the progress counts them: without the pages of
   * due keys and without the row that counts the others, and of pages in event-time order their
   * rows. `None` if Spark cannot read the state.
   */
  private def rows(state: CheckpointState, batchId: Long): Option[Long] = {
    val parts = StateParts.of(state.operator, state.properties)
    val hasPages = state.schemas.exists { case (_, key, _) => DueSchema.isIn(key) }
    val reader = SparkInternals.readerOfStates(session, state.partitions)
    try
      Some(parts.map { options =>
        val rows = reader.read
          .format("statestore")
          .option("operatorId", state.id)
          .option("batchId", batchId)
          .option("flattenCollectionTypes", false)
          .options(options)
          .load(location)
        if (state.operator == EventTimeOrder.StateName) waiting(rows)
        else if (hasPages) rows.where(s"key.${DueSchema.PageColumn} IS NULL").count()
        else if (state.operator == FrameAggregate.StateName)
          rows.where(FrameStore.isCounted).count()
        else rows.count()
      }.sum)
    catch {
      case NonFatal(e) =>
        logWarning(
          s"The rows in the state of operator ${state.id} in $location cannot be counted.",
          e
        )
        None
    }
  }

  /** How many rows wait in an event-time order: the head of each partition has their number. */
  private def waiting(state: DataFrame): Long =
    state
      .where(OrderStateSchema.isHead)
      .agg(coalesce(sum(col(s"value.${OrderStateSchema.WaitingColumn}")), lit(0L)))
      .head()
      .getLong(0)

  private def sources(
      offsets: Map[String, String],
      descriptions: Map[String, String]
  ): Seq[InspectedStage] =
    offsets.toSeq
      .filter { case (_, text) => ClockOffset.read(text, None).isEmpty }
      .sortBy { case (name, _) => (name.toLongOption, name) }
      .map { case (name, text) =>
        val stage = descriptions.get(name).fold(name) { description =>
          // A place says nothing; the name that a user gave does.
          if (name.toLongOption.isDefined) description else s"$name ($description)"
        }
        InspectedStage(stage, "source", detail = text)
      }

  private def instant(ms: Option[Long]): Option[Instant] = ms.map(Instant.ofEpochMilli)
}

private object Inspector {
  private val OfOperator = """state/(\d+)/.*""".r
}
