package tidegate.snapshot

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.tidegate.{CheckpointLogs, SparkInternals}
import tidegate.clock.{RunningQuery, StateCheckpoint}
import tidegate.core.clock.ClockEvent.{ColumnsChanged, PolicyChanged}
import tidegate.core.clock.{ClockState, QueryClock}
import tidegate.errors.SnapshotErrors
import tidegate.preparation.OwnOperators

/** Says how a changed query would continue from a checkpoint or a snapshot, by trying its start. */
private[tidegate] final class CheckCompatibility(
    location: String,
    df: DataFrame,
    mode: OutputMode
) {
  private val session = df.sparkSession
  private val logs = new CheckpointLogs(location, session)

  /** @throws AnalysisException if there is neither a snapshot nor a checkpoint */
  def run(): Compatibility = SparkInternals.inSession(session) {
    val folder = new SnapshotFolder(location, session)
    if (folder.isCutOff) throw SnapshotErrors.cutOff(location)
    if (folder.isComplete) folder.checked
    val checkpoint = new CheckpointFiles(location, session)
    val before = new StateCheckpoint(location, session).clock.getOrElse(ClockState.empty)
    val start = new TriedStart(checkpoint, df, mode)
    start.run(_.toSeq.flatMap(stages(before, _, start.copy))) match {
      case Right(stages)               => Compatibility(query(checkpoint.batchId) +: stages)
      case Left(Refusal(cause, query)) =>
        val reason = words(cause, start.copy)
        val states = CheckpointState.all(location, checkpoint.batchId, session)
        val now = query.toSeq.flatMap(_.spec.operators.map(_.name)).toSet
        val stages = new RefusedStages(before, states, now).of(cause).map { case (stage, kind) =>
          refused(stage, kind, reason)
        }
        Compatibility(refused("query", "query", reason) +: stages)
    }
  }

  private def query(batchId: Long): StageVerdict = {
    val key = "spark.sql.shuffle.partitions"
    val partitions = logs.setting(batchId, key).filterNot(session.conf.getOption(key).contains)
    StageVerdict(
      "query",
      "query",
      Verdict.GoesOn,
      partitions.fold("") { n =>
        s"The state has $n partitions, and keeps them: $key=${session.conf.get(key)} is for new " +
          "checkpoints."
      }
    )
  }

  private def refused(stage: String, kind: String, reason: String): StageVerdict =
    StageVerdict(stage, kind, Verdict.Refused, reason)

  /** As a start would say it of the checkpoint itself. */
  private def words(refusal: Throwable, copy: String): String =
    Option(refusal.getMessage)
      .getOrElse(refusal.getClass.getName)
      .replace(copy, location)
      .replace(copy.stripPrefix("file:"), location)

  private def stages(before: ClockState, query: RunningQuery, copy: String): Seq[StageVerdict] = {
    // If the query adopts the checkpoint, only the copy has a clock.
    val former = query.formerNames(new StateCheckpoint(copy, session).clock.getOrElse(before))
    watermarks(former, query) ++ operators(former, query, copy)
  }

  private def watermarks(before: ClockState, query: RunningQuery): Seq[StageVerdict] = {
    val clock = new QueryClock(query.spec, before, before.savedAtMs)
    val changes = clock.takeEvents().collect { case e @ (_: PolicyChanged | _: ColumnsChanged) =>
      e.node -> e.text
    }
    val now = query.spec.nodes.map(_.name).map { name =>
      val reasons = changes.collect { case (`name`, words) => words }
      if (before.nodes.contains(name))
        StageVerdict(name, "watermark", Verdict.GoesOn, reasons.mkString(" "))
      else
        StageVerdict(name, "watermark", Verdict.BeginsEmpty, "A new watermark, without a time.")
    }
    val removed = (before.nodes.keySet -- now.map(_.stage)).toSeq.sorted
    now ++ removed.map(StageVerdict(_, "watermark", Verdict.Removed))
  }

  private def operators(
      before: ClockState,
      query: RunningQuery,
      copy: String
  ): Seq[StageVerdict] = {
    val checkpoint = new StateCheckpoint(copy, session).renamed(query.formerNames)
    val changes = OwnOperators.changes(query.plan, query.decisions.own, checkpoint)
    val names = query.spec.operators.map(_.name)
    val others = (before.operators.keySet -- names).toSeq.sorted
    names.map { name =>
      if (!before.operators.contains(name))
        ofOther(name, others)
      else
        changes.get(name) match {
          case Some(change) if !change.isExact =>
            StageVerdict(name, "operator", Verdict.WindowsAffected, change.words)
          case other =>
            StageVerdict(name, "operator", Verdict.GoesOn, other.fold("")(_.words))
        }
    }
  }

  /**
   * Of an operator that the clock of the checkpoint does not know. Spark has found a state for each
   * operator, and an operator for each state: otherwise the start is refused.
   *
   * @param others
   *   the operators of the checkpoint that the query does not have
   */
  private def ofOther(name: String, others: Seq[String]): StageVerdict =
    if (others.isEmpty)
      StageVerdict(name, "operator", Verdict.BeginsEmpty, "The checkpoint has no state for it.")
    else {
      val former = others.map(other => s"`$other`").mkString(" or ")
      StageVerdict(name, "operator", Verdict.GoesOn, s"It continues with the state of $former.")
    }
}
