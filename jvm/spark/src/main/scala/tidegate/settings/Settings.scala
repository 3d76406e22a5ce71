package tidegate.settings

import java.util.concurrent.TimeUnit

import org.apache.spark.network.util.JavaUtils
import org.apache.spark.sql.catalyst.util.IntervalUtils
import org.apache.spark.unsafe.types.UTF8String

/** Every setting of Tidegate. `docs/settings.md` has the same list, and a test compares the two. */
object Settings {

  /** How the names of all settings begin. */
  val Prefix: String = "spark.tidegate."

  /** How many substreams a watermark may have. */
  val MaxSubstreams: Setting[Int] = Setting(
    "spark.tidegate.maxSubstreams",
    "100000",
    "a whole number above 0",
    "The largest number of substreams of one watermark. A query that finds more fails: the driver " +
      "keeps the time of each substream, and a column of many values, such as a user, would fill " +
      "its memory."
  )(_.toIntOption.filter(_ > 0))

  /** After how many ms an idle substream is forgotten. */
  val ForgetAfter: Setting[Long] = Setting(
    "spark.tidegate.substreams.forgetAfter",
    "24 hours",
    "a duration above 0 such as '24 hours'",
    "After how long without rows a substream is forgotten that is idle and that the watermark has " +
      "passed. When it comes back, it is a new one. The partitions that Kafka reports are kept."
  )(milliseconds(_).filter(_ > 0))

  /** Whether new queries put windows together from frames. */
  val WindowsEnabled: Setting[Boolean] = ownOperator(
    "windows",
    "Whether a new query puts its windows together from frames. `false` gives Spark's own plan, " +
      "which copies each row into all of the windows that it is in."
  )

  /** Whether new queries merge sessions with our own operator. */
  val SessionsEnabled: Setting[Boolean] = ownOperator(
    "sessions",
    "Whether a new query merges its sessions with Tidegate's own operator: one row of state for " +
      "each key, and a batch touches only the keys that it changes. `false` gives Spark's operator."
  )

  /** Whether new queries deduplicate with our own operator. */
  val DeduplicationEnabled: Setting[Boolean] = ownOperator(
    "deduplication",
    "Whether a new query deduplicates with Tidegate's own operator, which finds the keys that have " +
      "expired by their time. `false` gives Spark's operators, which walk over all keys in each " +
      "batch in which time moves."
  )

  /** Whether new queries join streams with our own operator. */
  val JoinEnabled: Setting[Boolean] = ownOperator(
    "join",
    "Whether a new query makes its joins of streams with Tidegate's own operator, where rows of " +
      "both sides leave the state. `false` gives Spark's operator."
  )

  /**
   * Whether an operator of our own is used.
   *
   * @param noun
   *   what it makes
   */
  private def ownOperator(noun: String, what: String): Setting[Boolean] = Setting(
    s"spark.tidegate.$noun.enabled",
    "true",
    "'true' or 'false'",
    s"$what A query continues with the operator with which it began, whatever the setting is."
  )(_.toBooleanOption)

  /** How many bytes a task groups by keys at once. */
  val WindowsMaxInputBytes: Setting[Long] = Setting(
    "spark.tidegate.windows.maxInputBytes",
    "64m",
    "a positive size such as '64m'",
    "How much of a batch a task groups by keys at once, in bytes of partially aggregated rows, or " +
      "with a unit. The rest takes another round."
  )(bytes(_).filter(_ > 0))

  /** How many windows may copy a row. */
  val WindowsMaxPerRow: Setting[Int] = Setting(
    "spark.tidegate.windows.maxPerRow",
    "10000",
    "a whole number above 0",
    "The largest number of windows that a row may be copied into by `HOP` or `CUMULATE`. Windows " +
      "that are put together from frames copy no rows and have no limit, but a late row that " +
      "misses more of them has no list of them in the late table."
  )(_.toIntOption.filter(_ > 0))

  /** Whether versions of a state in memory share what has not changed. */
  val StateSharesVersions: Setting[Boolean] = Setting(
    "spark.tidegate.state.sharesVersions",
    "true",
    "'true' or 'false'",
    "Whether Tidegate's own operators keep a state in memory so that a batch costs what changes. " +
      "`false` leaves the memory to Spark, which copies all rows for each batch. The files of a " +
      "checkpoint are the same, so the setting may change between two runs."
  )(_.toBooleanOption)

  /** Whether windows close in the batch that read the row which closes them. */
  val ClosesInSameBatch: Setting[Boolean] = Setting(
    "spark.tidegate.closing",
    "sameBatch",
    "'sameBatch' or 'nextBatch'",
    "When Tidegate's own operators close windows and emit rows that wait: in the `sameBatch` that " +
      "read the row which moved time so far, or in the `nextBatch`, as in Spark. The setting may " +
      "change between two runs."
  )(Map("sameBatch" -> true, "nextBatch" -> false).get)

  /** Whether batches without rows are left out in which no operator has anything to do. */
  val NoDataBatchesOnlyWhenDue: Setting[Boolean] = Setting(
    "spark.tidegate.noDataBatches.onlyWhenDue",
    "true",
    "'true' or 'false'",
    "Whether time that moves on without new rows starts a batch only if an operator has something " +
      "to do in it. `false` gives a batch whenever the watermark of an operator moves, as in Spark. " +
      "Runs that end by themselves, such as those of `AvailableNow`, always end with such a batch."
  )(_.toBooleanOption)

  /** Whether Spark's UI gets a tab about event time. */
  val UiEnabled: Setting[Boolean] = Setting(
    "spark.tidegate.ui.enabled",
    "true",
    "'true' or 'false'",
    "Whether Spark's UI gets the tab `Event time` when the first query with a keyed watermark starts."
  )(_.toBooleanOption)

  /** What happens to an inner join whose state grows without limit. */
  val UnboundedJoin: Setting[String] = Setting(
    "spark.tidegate.join.unbounded",
    "warn",
    "'warn' or 'error'",
    "What happens when a query starts with an inner join of streams whose state grows without " +
      "limit: a line in the log, or an error."
  )(Some(_).filter(Set("warn", "error")))

  /** How many ms after its last row a key of functions with `OVER` is kept; 0 for ever. */
  val OverRetention: Setting[Long] = Setting(
    "spark.tidegate.over.retention",
    "0 seconds",
    "a duration such as '30 days', or '0 seconds'",
    "How long, in event time, a key without rows is kept whose functions with `OVER` need its rows " +
      "for ever: a row that comes later is as the first of its key. `0 seconds` keeps keys for ever."
  )(milliseconds(_).filter(_ >= 0))

  /** For how many ms an inner join without bounds keeps a row; 0 for ever. */
  val JoinTimeToLive: Setting[Long] = Setting(
    "spark.tidegate.join.timeToLive",
    "0 seconds",
    "a duration such as '1 hour', or '0 seconds'",
    "How far the times of two rows may be apart that an inner join without bounds on its times " +
      "joins. Rows leave its state accordingly. `0 seconds` is for no such limit. The setting may " +
      "change between two runs, but not to `0 seconds`."
  )(milliseconds(_).filter(_ >= 0))

  /** Whether a restarted query reads its last batch again. */
  val ObserveLastBatch: Setting[Boolean] = Setting(
    "spark.tidegate.restart.observeLastBatch",
    "true",
    "'true' or 'false'",
    "Whether a query that continues from a checkpoint reads its last committed batch again to " +
      "learn the event times in that batch. `false` is for a source that has dropped those rows: " +
      "time may then stand a little earlier."
  )(_.toBooleanOption)

  /** Whether the log shows values of rows. */
  val LogValues: Setting[Boolean] = Setting(
    "spark.tidegate.log.values",
    "true",
    "'true' or 'false'",
    "Whether the log shows values of rows: late rows, and the names of substreams. With `false`, " +
      "late rows and substreams are only counted there, and what Spark logs and reports as progress " +
      "lacks the names of substreams and the offset of the clock. The tab, `tidegate.watermarks` " +
      "and errors of your own functions stay as they are."
  )(_.toBooleanOption)

  /** How much of a late row is shown in the log. */
  val LateLogPayloadChars: Setting[Int] = Setting(
    "spark.tidegate.late.logPayloadChars",
    "200",
    "a whole number, 0 or above",
    "How many characters of a late row the log shows: the beginning of its columns. `0` shows none " +
      "of them."
  )(_.toIntOption.filter(_ >= 0))

  /** How many late rows are described in the log. */
  val LateLogLinesPerMinute: Setting[Int] = Setting(
    "spark.tidegate.late.logLinesPerMinute",
    "20",
    "a whole number, 0 or above",
    "How many late rows of a query the log describes in a minute, in a line each. One more line in " +
      "a minute has the number of the others, by operator."
  )(_.toIntOption.filter(_ >= 0))

  /** For how many ms time may stand still before the log warns; 0 for ever. */
  val StallWarning: Setting[Long] = Setting(
    "spark.tidegate.stallWarning",
    "10 minutes",
    "a duration such as '10 minutes', or '0 seconds'",
    "How long the time of a watermark may be held in one place before the log warns, with who " +
      "holds it, and again each time that this has become twice as long; the same for a source that " +
      "reports rows and gives none. `0 seconds` is for no warning."
  )(milliseconds(_).filter(_ >= 0))

  /** How many batches of a query are remembered. */
  val ProgressBatches: Setting[Int] = Setting(
    "spark.tidegate.progress.batches",
    "1000",
    "a whole number, 0 or above",
    "For how many batches of a query the driver remembers what each did to time, for " +
      "`tidegate.progress`."
  )(_.toIntOption.filter(_ >= 0))

  /** How many events of a query are remembered. */
  val ProgressEvents: Setting[Int] = Setting(
    "spark.tidegate.progress.events",
    "1000",
    "a whole number, 0 or above",
    "How many events of a query the driver remembers, such as a substream that became idle, for " +
      "`tidegate.explainTime`."
  )(_.toIntOption.filter(_ >= 0))

  /** How many late rows are written. */
  val MaxLateRowsPerBatch: Setting[Long] = Setting(
    "spark.tidegate.late.maxRowsPerBatch",
    "1000000",
    "a whole number, 1 or above",
    "How many late rows an operator writes to the folder of `lateRows` in a batch, at most; each " +
      "task writes an equal share. The others are counted."
  )(_.toLongOption.filter(_ >= 1))

  /** Whether Spark's watermarks become keyed ones. */
  val ReplaceWithWatermark: Setting[Boolean] = Setting(
    "spark.tidegate.replaceWithWatermark",
    "false",
    "'true' or 'false'",
    "Whether every `withWatermark` of a query, and every `WATERMARK` clause of its SQL, becomes a " +
      "keyed watermark when the query starts."
  )(_.toBooleanOption)

  /** Whether a query may continue from a checkpoint that was made without Tidegate. */
  val AdoptCheckpoint: Setting[Boolean] = Setting(
    "spark.tidegate.adoptCheckpoint",
    "false",
    "'true' or 'false'",
    "Whether a query with keyed watermarks may continue from a checkpoint that was made without " +
      "Tidegate: its watermarks begin where Spark's was. With `false` such a start is refused."
  )(_.toBooleanOption)

  /** For how many ms a checkpoint is watched before it is adopted or released. */
  val AdoptWatch: Setting[Long] = Setting(
    "spark.tidegate.adopt.watch",
    "5 seconds",
    "a duration from 0 to 1 hour such as '5 seconds'",
    "How long a checkpoint is watched before it is adopted or released. If a batch begins or ends " +
      "meanwhile, its query runs in another application, and the checkpoint is left as it is."
  )(milliseconds(_).filter(ms => ms >= 0 && ms <= TimeUnit.HOURS.toMillis(1)))

  /** Whether operators run on the slowest watermark of their query, and not each on its own. */
  val SlowestDecides: Setting[Boolean] = Setting(
    "spark.tidegate.lateness",
    "own",
    "'own' or 'slowest'",
    "Which watermark decides what is late for an operator: its `own`, or as in Spark the `slowest` " +
      "of the query. With `slowest`, rows exactly at the watermark are late, as in Spark."
  )(Map("own" -> false, "slowest" -> true).get)

  private def milliseconds(text: String): Option[Long] =
    try {
      val interval = IntervalUtils.stringToInterval(UTF8String.fromString(text))
      Option.when(interval.months == 0)(IntervalUtils.getDuration(interval, TimeUnit.MILLISECONDS))
    } catch { case _: IllegalArgumentException | _: ArithmeticException => None }

  private def bytes(text: String): Option[Long] =
    try Some(JavaUtils.byteStringAsBytes(text))
    catch { case _: IllegalArgumentException => None }

  val all: Seq[Setting[_]] =
    Seq(
      MaxSubstreams,
      ForgetAfter,
      WindowsEnabled,
      SessionsEnabled,
      DeduplicationEnabled,
      JoinEnabled,
      WindowsMaxInputBytes,
      WindowsMaxPerRow,
      UnboundedJoin,
      OverRetention,
      JoinTimeToLive,
      StateSharesVersions,
      ClosesInSameBatch,
      NoDataBatchesOnlyWhenDue,
      UiEnabled,
      ObserveLastBatch,
      LogValues,
      LateLogPayloadChars,
      LateLogLinesPerMinute,
      StallWarning,
      ProgressBatches,
      ProgressEvents,
      MaxLateRowsPerBatch,
      ReplaceWithWatermark,
      AdoptCheckpoint,
      AdoptWatch,
      SlowestDecides
    )
}
