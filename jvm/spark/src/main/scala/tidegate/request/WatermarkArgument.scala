package tidegate.request

import java.util.{List => JList}

import scala.jdk.CollectionConverters._

import tidegate.core.policy.{EmissionSpec, PolicySpec}
import tidegate.errors.{LateRowErrors, WatermarkErrors}
import tidegate.plans.{LateTables, WatermarkSpec}

/**
 * An argument of a watermark. The types of Scala, Java and Python are in their methods; SQL and
 * Spark Connect read the call by this list.
 *
 * @param name
 *   in Scala, Java and Python
 * @param meaning
 *   what `DESCRIBE FUNCTION EXTENDED` says of it
 */
private[tidegate] sealed abstract class WatermarkArgument[T](
    val name: String,
    val meaning: String
) {

  /** The name in SQL, such as `idle_timeout`. */
  val sqlName: String = SqlNames.of(name)

  /** The argument with its value; null stands for none. */
  def apply(value: T): WatermarkArgument.Given = this -> value

  /**
   * What a value asks of the watermark.
   *
   * @param written
   *   the name for errors
   * @throws AnalysisException
   *   if the value is not usable
   */
  private[request] def put(spec: WatermarkSpec, value: T, written: String): WatermarkSpec

  /** The value as Python gives it. */
  private[request] def ofPython(value: Any): T = value.asInstanceOf[T]

  override def toString: String = name
}

private[tidegate] object WatermarkArgument {
  type Given = (WatermarkArgument[_], Any)

  /** A duration as text. */
  final class Length(
      name: String,
      smallestMs: Long,
      meaning: String,
      into: (WatermarkSpec, Long) => WatermarkSpec = same[Long]
  ) extends WatermarkArgument[String](name, meaning) {
    override private[request] def put(
        spec: WatermarkSpec,
        value: String,
        written: String
    ): WatermarkSpec =
      into(spec, Durations.parseMs(written, value, smallestMs))
  }

  /** A value that is what it is in the spec. */
  sealed abstract class Plain[T](
      name: String,
      meaning: String,
      into: (WatermarkSpec, T) => WatermarkSpec
  ) extends WatermarkArgument[T](name, meaning) {
    override private[request] def put(
        spec: WatermarkSpec,
        value: T,
        written: String
    ): WatermarkSpec =
      into(spec, value)
  }

  /** True or false. */
  final class Flag(name: String, meaning: String, into: (WatermarkSpec, Boolean) => WatermarkSpec)
      extends Plain[Boolean](name, meaning, into)

  final class Number(name: String, meaning: String, into: (WatermarkSpec, Int) => WatermarkSpec)
      extends Plain[Int](name, meaning, into)

  final class Text(name: String, meaning: String, into: (WatermarkSpec, String) => WatermarkSpec)
      extends Plain[String](name, meaning, into)

  /** The name of a column; the node has it. */
  final class Column(name: String, meaning: String)
      extends Plain[String](name, meaning, same[String])

  /** The names of columns; the node has them. */
  final class Columns(name: String, meaning: String)
      extends Plain[Seq[String]](name, meaning, same[Seq[String]]) {
    override private[request] def ofPython(value: Any): Seq[String] = texts(value)
  }

  /** A policy or an emission, which are written as a name and durations. */
  final class Described[T](
      name: String,
      meaning: String,
      known: Seq[String],
      val example: String,
      read: (String, Seq[String], Boolean) => T,
      into: (WatermarkSpec, T) => WatermarkSpec
  ) extends Plain[T](name, meaning, into) {

    /** The value that a name and durations mean. */
    def of(described: String, durations: Seq[String]): T = read(described, durations, false)

    /** The same as SQL writes it, also in errors. */
    def ofSql(described: String, durations: Seq[String]): T =
      read(SqlNames.find(known, described).getOrElse(described), durations, true)

    override private[request] def ofPython(value: Any): T = of(texts(value).head, texts(value).tail)
  }

  private def same[T]: (WatermarkSpec, T) => WatermarkSpec = (spec, _) => spec

  private def texts(value: Any): Seq[String] = value.asInstanceOf[JList[String]].asScala.toSeq

  private val Keys = 0 to Byte.MaxValue

  val Lag: Length = new Length(
    "lag",
    smallestMs = 0,
    "how far the watermark stays behind the newest row; this or policy is needed"
  )
  val Key: Number = new Number(
    "key",
    "0 to 127, 0 by default; streams with the same key share one notion of time",
    (spec, key) =>
      if (Keys.contains(key)) spec.copy(key = key.toByte)
      else throw WatermarkErrors.keyOutOfRange(key)
  )
  val Policy: Described[PolicySpec] = new Described(
    "policy",
    "how the watermark follows the rows, such as fixed_lag(5 seconds)",
    Policies.sqlNames,
    "a policy such as fixed_lag(5 seconds)",
    Policies.policy(_, _, _),
    (spec, policy) => spec.copy(policy = policy)
  )
  val Substream: Columns =
    new Columns("substream", "the columns that name a substream, as DESCRIPTOR(topic, partition)")
  val IdleTimeout: Length = new Length(
    "idleTimeout",
    smallestMs = 1,
    "after how long without rows a substream is left out; 60 seconds by default, NULL for never",
    (spec, ms) => spec.copy(idleTimeoutMs = Some(ms))
  )
  val IdleBehind: Length = new Length(
    "idleBehind",
    smallestMs = 1,
    "the same for a substream that is behind the others; NULL, the default, for no difference",
    (spec, ms) => spec.copy(idleBehindMs = Some(ms))
  )
  val Emission: Described[EmissionSpec] = new Described(
    "emission",
    "which advances show: by_frame(size [, offset]) or by_min_step(step)",
    EmissionSpec.names,
    "an emission such as by_frame(1 second)",
    Policies.emission(_, _, _),
    (spec, emission) => spec.copy(emission = Some(emission))
  )
  val Name: Text = new Text(
    "name",
    "the name of the watermark; by default that of timecol",
    (spec, name) =>
      if (name.trim.isEmpty) throw WatermarkErrors.emptyName() else spec.copy(name = name)
  )
  val MaxFutureSkew: Length = new Length(
    "maxFutureSkew",
    smallestMs = 0,
    "a row further ahead of the wall clock moves no watermark; no limit by default",
    (spec, ms) => spec.copy(maxFutureSkewMs = Some(ms))
  )
  val Flush: Flag = new Flag(
    "flush",
    "whether a run that ends by itself closes all windows; false by default",
    (spec, flush) => spec.copy(flush = flush)
  )
  val IngestionTime: Column = new Column(
    "ingestionTime",
    "the column of append times, for policy => ingestion_time(...); timestamp by default"
  )
  val LateRows: Text = new Text(
    "lateRows",
    "a table or a folder, to which late rows are written as Parquet files",
    (spec, folder) =>
      if (folder.trim.isEmpty) throw LateRowErrors.emptyFolder()
      else if (!LateTables.isPath(folder) && !LateTables.isName(folder))
        throw LateRowErrors.neitherNameNorPath(folder)
      else spec.copy(lateRows = Some(folder))
  )
  val AllowedLateness: Length = new Length(
    "allowedLateness",
    smallestMs = 0,
    "how much longer windows take late rows, in output mode update; by default no longer",
    (spec, ms) => spec.copy(allowedLatenessMs = Some(ms))
  )

  /** The durations of the policy of `withIngestionWatermark`, which checks them itself. */
  val MaxEventTimeLag: Length = new Length(
    "maxEventTimeLag",
    smallestMs = 0,
    "how much older than its append time an event time may be"
  )
  val MaxIdleLag: Length = new Length(
    "maxIdleLag",
    smallestMs = 0,
    "how far a substream that is read to its end stays behind the wall clock"
  )

  /** The arguments of `IMPOSE_ORDER`, in the order of its documentation. */
  val ofSql: Seq[WatermarkArgument[_]] = Seq(
    Lag,
    Key,
    Policy,
    Substream,
    IdleTimeout,
    IdleBehind,
    Emission,
    Name,
    MaxFutureSkew,
    Flush,
    IngestionTime,
    LateRows,
    AllowedLateness
  )

  /** Those of `withIngestionWatermark` alone, and of `withKeyedWatermark` alone. */
  val ofIngestion: Seq[WatermarkArgument[_]] = Seq(MaxEventTimeLag, IngestionTime, MaxIdleLag)
  val ofEvents: Seq[WatermarkArgument[_]] = Seq(Lag, Policy)

  val all: Seq[WatermarkArgument[_]] = (ofSql ++ ofIngestion).distinct
}
