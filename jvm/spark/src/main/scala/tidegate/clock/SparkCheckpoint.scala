package tidegate.clock

import java.io.IOException

import org.apache.hadoop.fs.Path
import org.apache.spark.internal.Logging
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.tidegate.{OffsetEntries, OffsetEntry, OperatorState, SparkInternals}
import org.apache.spark.sql.{AnalysisException, SparkSession}
import tidegate.core.clock.{ClockCodec, ClockState, QuerySpec}
import tidegate.errors.AdoptionErrors
import tidegate.plans.DropLate
import tidegate.settings.Settings

/**
 * A checkpoint as far as it differs between a query with keyed watermarks and one without: in the
 * offset log, which has the clock among the sources. The state of operators is the same.
 *
 * A changed log is written beside the old one, and takes its place when it is complete. The old one
 * stays as `offsets.spark` or `offsets.tidegate`.
 */
private[tidegate] final class SparkCheckpoint(location: String, session: SparkSession)
    extends Logging {
  import SparkCheckpoint._

  private val root = new Path(location)
  private val hadoopConf = SparkInternals.hadoopConf(session)
  private val files = root.getFileSystem(hadoopConf)
  private val offsets = new Path(root, "offsets")
  private val changed = new Path(root, "offsets.changed")
  private val mark = new Path(root, "tidegate.adopt")

  /**
   * Ends a change that was interrupted when the old log was away and the new one not yet there.
   *
   * @return
   *   whether there was such a change
   */
  def recover(): Boolean = {
    val isCutOff = !files.exists(offsets) && files.exists(changed)
    if (isCutOff) rename(changed, offsets)
    isCutOff
  }

  /** The last batch that was begun: a start needs no more. */
  private lazy val last: Option[OffsetEntry] =
    if (files.exists(offsets)) OffsetEntries.last(session, offsets) else None

  // Begins before the log is read, so that no batch is lost between the two.
  private lazy val watch = new CheckpointWatch(files, root, watchMs)

  private def watchMs: Long = Settings.AdoptWatch.in(session.sessionState.conf)

  private lazy val entries: Seq[(Long, OffsetEntry)] = {
    val _ = watch
    OffsetEntries.read(session, offsets)
  }

  /** Whether there is a checkpoint at all. */
  def exists: Boolean = last.isDefined

  /**
   * Whether the checkpoint was made without Tidegate.
   *
   * @param sources
   *   how many sources the query has, the clock left out
   */
  def isOfSpark(sources: Int): Boolean = last.exists { entry =>
    val lacksClock =
      if (entry.isByName) !entry.isNamed(ClockTable.Name) else entry.size == sources
    lacksClock && !entry.texts.exists(isClock)
  }

  /** Whether some batch has the clock among its sources. */
  def hasClock: Boolean = entries.exists(_._2.texts.exists(isClock))

  /** Whether the last batch that was begun has the clock among its sources. */
  def isKeyed: Boolean =
    last.exists(entry => entry.isNamed(ClockTable.Name) || entry.texts.exists(isClock))

  /** Spark's watermark in the last batch that was begun, in epoch ms; 0 if it had none. */
  def watermarkMs: Long = last.fold(0L)(_.watermarkMs)

  /** How many sources the checkpoint has; `None` if it knows them by name. */
  def sources: Option[Int] = last.filterNot(_.isByName).map(_.size)

  /** Whether it was said that the next start adopts the checkpoint. */
  def isMarked: Boolean = files.exists(mark)

  /**
   * Lets the next start adopt the checkpoint.
   *
   * @throws AnalysisException
   *   if this is no checkpoint, one of a query with keyed watermarks, or one of a query that runs
   */
  def markForAdoption(): Unit = {
    if (!exists) throw AdoptionErrors.noCheckpoint(location)
    if (hasClock) throw AdoptionErrors.alreadyAdopted(location)
    refuseGrowing()
    files.create(mark, true).close()
  }

  /**
   * Puts the clock into every batch of the log: all watermarks are where Spark's was.
   *
   * @param place
   *   the place of the clock among the sources
   * @return
   *   Spark's watermark, in epoch ms, in the last batch that was begun; 0 if it had none
   * @throws AnalysisException
   *   if Spark's watermark followed the fastest of several streams, or if the query runs
   */
  def adopt(spec: QuerySpec, place: Int): Long = {
    // Spark continues with the policy of the checkpoint, whatever the session says.
    val policy = last.flatMap(_.setting(SQLConf.STREAMING_MULTIPLE_WATERMARK_POLICY.key))
    if (spec.nodes.size > 1 && policy.contains("max")) throw AdoptionErrors.policyMax(location)
    write(
      "offsets.spark",
      entries.map { case (batchId, entry) =>
        val state = Option.when(entry.watermarkMs > 0)(
          ClockState.at(spec, entry.watermarkMs, entry.timestampMs)
        )
        batchId -> entry.withSource(ClockTable.Name, place, state.map(ClockCodec.write))
      }
    )(())
    files.delete(mark, false)
    val watermarkMs = entries.last._2.watermarkMs
    logInfo(
      s"The checkpoint $location was made without Tidegate. Its ${spec.nodes.size} keyed " +
        s"watermarks continue from Spark's, $watermarkMs ms. The old log is in offsets.spark."
    )
    watermarkMs
  }

  /**
   * Takes the clock out of every batch of the log, so that a query without Tidegate can continue:
   * from the lowest of the keyed watermarks.
   *
   * @return
   *   that watermark, in epoch ms, in the last batch that was begun; 0 if there was none
   * @throws AnalysisException
   *   if this is no checkpoint of a query with keyed watermarks, if some of its state is not
   *   Spark's, or if the query runs
   */
  def release(): Long = {
    if (!exists) throw AdoptionErrors.noCheckpoint(location)
    // The clock may have no offset in the first batches.
    val places = entries.flatMap { case (_, entry) => entry.placeOf(isClock) }.distinct
    if (!hasClock) throw AdoptionErrors.nothingToRelease(location)
    val (own, ofSpark) =
      new StateCheckpoint(location, session).operators.partition(_._1 >= FirstOwnState)
    if (own.nonEmpty) throw AdoptionErrors.ownState(location, own.values.toSeq.sorted)
    val released = entries.map { case (batchId, entry) =>
      batchId -> entry.withoutSource(
        ClockTable.Name,
        places.headOption.getOrElse(0),
        lowest(batchId, entry)
      )
    }
    write("offsets.tidegate", released) {
      // A query with keyed watermarks can go on with these schemas too, if the change is cut off.
      ofSpark.keys.foreach { id =>
        OperatorState.allowNulls(new Path(root, "state").toString, id, hadoopConf)
      }
    }
    released.last._2.watermarkMs
  }

  private def lowest(batchId: Long, entry: OffsetEntry): Long = {
    val file = new Path(offsets, batchId.toString).toString
    val state = entry.texts.flatMap(ClockOffset.read(_, Some(file))).headOption.map(_.state)
    if (state.exists(_.places.nonEmpty)) throw AdoptionErrors.namedState(location)
    state.flatMap(_.nodes.values.flatMap(_.watermarkMs).minOption).fold(0L)(math.max(0L, _))
  }

  /**
   * @param change
   *   what else is changed, when no query runs, and before the log is
   */
  private def write(old: String, log: Seq[(Long, OffsetEntry)])(change: => Unit): Unit = {
    if (files.exists(changed)) files.delete(changed, true)
    OffsetEntries.write(session, changed, log)
    refuseGrowing()
    change
    val kept = new Path(root, old)
    if (files.exists(kept)) files.delete(kept, true)
    rename(offsets, kept)
    try rename(changed, offsets)
    catch {
      case e: AnalysisException =>
        // Spark takes a checkpoint without a log for a new one.
        rename(kept, offsets)
        throw e
    }
  }

  private def refuseGrowing(): Unit = {
    logInfo(s"Watching the checkpoint $location for $watchMs ms: its query must not run.")
    if (watch.grows()) {
      files.delete(changed, true)
      throw AdoptionErrors.growing(location)
    }
  }

  private def rename(from: Path, to: Path): Unit = {
    val isRenamed =
      try files.rename(from, to)
      catch {
        case e: IOException =>
          logWarning(s"$from was not renamed to $to.", e)
          false
      }
    if (!isRenamed) throw AdoptionErrors.notRenamed(from.toString, to.toString)
  }
}

private[tidegate] object SparkCheckpoint {

  /** The first number of the states of our own operators. */
  private val FirstOwnState = DropLate.FirstStateId

  private def isClock(text: String): Boolean = ClockOffset.read(text, None).isDefined
}
