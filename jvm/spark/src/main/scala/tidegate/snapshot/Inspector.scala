package tidegate.snapshot

import java.time.Instant

import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path
import org.apache.spark.internal.Logging
import org.apache.spark.sql.functions.collect_list
import org.apache.spark.sql.tidegate.{CheckpointLogs, OperatorState, SparkInternals}
import org.apache.spark.sql.{Row, SparkSession}
import tidegate.clock.{ClockOffset, StateCheckpoint}
import tidegate.core.clock.{ClockState, NodeMark, NodeState}
import tidegate.errors.SnapshotErrors

/** Reads what a snapshot or a checkpoint holds, without starting its query. */
private[tidegate] final class Inspector(location: String, session: SparkSession) extends Logging {
  import Inspector._

  private val logs = new CheckpointLogs(location, session)
  private val hadoopConf = SparkInternals.hadoopConf(session)
  private val folder = new SnapshotFolder(location, session)

  /**
   * @param countRows
   *   whether Spark reads the states to count their rows
   * @throws AnalysisException
   *   if there is neither a snapshot nor a checkpoint, or no committed batch
   */
  def inspect(countRows: Boolean): Inspection = SparkInternals.inSession(session) {
    if (folder.isCutOff) throw SnapshotErrors.cutOff(location)
    val manifest = if (folder.isComplete) Some(folder.manifest) else None
    val checkpoint = new CheckpointFiles(location, session)
    val (batchId, queryId) = (checkpoint.batchId, logs.queryId.getOrElse(""))
    val offsets = logs.offsets(batchId)
    val clock = new StateCheckpoint(location, session).clock
    val bytes = checkpoint.all
      .collect { case FileToCopy(_, OfOperator(id), length) => id.toLong -> length }
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
        sources(offsets, manifest.fold(Seq.empty[String])(_.sources))
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
          detail = s.activeAtMs.fold("")(ms => s"last rows at ${Instant.ofEpochMilli(ms)}")
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
    val stores = session.read
      .format("state-metadata")
      .option("batchId", batchId)
      .load(location)
      .groupBy("operatorId", "operatorName", "numPartitions", "operatorProperties")
      .agg(collect_list("stateStoreName").as("stores"))
      .orderBy("operatorId")
      .collect()
      .toSeq
    val names = new OperatorNames(clock, stores.map(s => s.getLong(0) -> s.getString(1)))
    stores.map { row =>
      val id = row.getLong(0)
      val marks = names.marks(id)
      val state = schema(id, row.getSeq[String](4).sorted, batchId)
      InspectedStage(
        names(id),
        "operator",
        watermark = instant(marks.flatMap(_.evictionMs).minOption),
        idle = marks.headOption.map(_.idle),
        keys = state.map(_._1),
        rows = if (countRows) rows(row, batchId) else None,
        bytes = bytes.get(id),
        detail = Seq(
          Some(s"${row.getString(1)} in state/$id, ${row.getInt(2)} partitions"),
          marks.flatMap(_.frames).headOption.map(_.toString),
          state.map(_._2)
        ).flatten.mkString("; ")
      )
    }
  }

  /** The keys and the values of the state, as text. */
  private def schema(id: Long, stores: Seq[String], batchId: Long): Option[(String, String)] = {
    val found = stores.flatMap { store =>
      OperatorState
        .schemas(new Path(location, "state").toString, id, store, batchId, hadoopConf)
        .map { s =>
          val name = if (s.colFamilyName == "default") store else s.colFamilyName
          (name, s.keySchema.toDDL, s.valueSchema.toDDL)
        }
    }
    found.headOption.map { case (_, keys, _) =>
      val values = found.map { case (name, _, value) =>
        if (found.size == 1) value else s"$name: $value"
      }
      keys -> s"values ${values.mkString("; ")}"
    }
  }

  /** How many rows the state of an operator has; `None` if Spark cannot read the state. */
  private def rows(operator: Row, batchId: Long): Option[Long] = {
    val id = operator.getLong(0)
    val parts = StateParts.of(operator.getString(1), Option(operator.getString(3)))
    try
      Some(parts.map { options =>
        session.read
          .format("statestore")
          .option("operatorId", id)
          .option("batchId", batchId)
          .option("flattenCollectionTypes", false)
          .options(options)
          .load(location)
          .count()
      }.sum)
    catch {
      case NonFatal(e) =>
        logWarning(s"The rows in the state of operator $id in $location cannot be counted.", e)
        None
    }
  }

  private def sources(
      offsets: Map[String, String],
      descriptions: Seq[String]
  ): Seq[InspectedStage] =
    offsets.toSeq
      .filter { case (_, text) => ClockOffset.read(text, None).isEmpty }
      .sortBy { case (name, _) => (name.toLongOption, name) }
      .map { case (name, text) =>
        val description = name.toIntOption.flatMap(descriptions.lift)
        InspectedStage(description.getOrElse(name), "source", detail = text)
      }

  private def instant(ms: Option[Long]): Option[Instant] = ms.map(Instant.ofEpochMilli)
}

private object Inspector {
  private val OfOperator = """state/(\d+)/.*""".r
}
