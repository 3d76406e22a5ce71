package tidegate.bench.hop

import java.nio.file.{Path, Paths}

import tidegate.bench.States

/**
 * The arguments of the benchmark, as documented in its README.
 *
 * @param rows
 *   None: the usual number for the part
 * @param keys
 *   None: 10,000, or 200 for windows of ten minutes; `rate` likewise, with 5,000 or 200
 * @param size
 *   the size of the windows of `once`, in seconds
 * @param side
 *   None: both sides, unless Spark would take too long
 */
private[hop] final case class HopSettings(
    parts: Seq[String] = Nil,
    rows: Option[Long] = None,
    sparkRows: Long = 20000L,
    keys: Option[Int] = None,
    rate: Option[Int] = None,
    files: Int = 40,
    size: Int = 60,
    pairs: Int = 3,
    states: Seq[String] = States.Names,
    side: Option[String] = None,
    sql: Boolean = false,
    data: Path = Paths.get("build", "bench").toAbsolutePath,
    heap: String = "6g"
) {
  private val tidegate = if (sql) Side.TidegateSql else Side.Tidegate

  /** The sides to run, Spark first; `usual` if the arguments name none. */
  def sidesOr(usual: String): Seq[Side] = side.getOrElse(usual) match {
    case "both"     => Seq(Side.Spark, tidegate)
    case "spark"    => Seq(Side.Spark)
    case "tidegate" => Seq(tidegate)
  }

  /** One row in each batch. */
  val oneRowABatch: BidShape = BidShape(files min 20, keys = 1, rate = 1, files min 20)

  /** The shape of the shared benchmark: windows of 600 seconds have fewer keys and a lower rate. */
  def shape(usualRows: Long, few: Boolean = false): BidShape =
    BidShape(
      rows.getOrElse(usualRows),
      keys.getOrElse(if (few) 200 else 10000),
      rate.getOrElse(if (few) 200 else 5000),
      files
    )
}

private[hop] object HopSettings {

  /** The parts that run if none is named, in this order. The parts in `Named` run only if named. */
  val Usual: Seq[String] = Seq("hop60", "hop600", "curve", "empty")
  private val Named = Seq("tumble", "session", "cumulate", "large", "once")
  private val Sides = Seq("both", "spark", "tidegate")

  def parse(arguments: Seq[String]): HopSettings = {
    val settings = parse(arguments.toList, HopSettings())
    if (settings.parts.isEmpty) settings.copy(parts = Usual) else settings
  }

  private def parse(arguments: List[String], settings: HopSettings): HopSettings =
    arguments match {
      case Nil                                         => settings
      case "--sql" :: others                           => parse(others, settings.copy(sql = true))
      case option :: n :: _ if option.startsWith("--") =>
        parse(arguments.drop(2), withOption(settings, option, n))
      case part :: others if (Usual ++ Named).contains(part) =>
        parse(others, settings.copy(parts = settings.parts :+ part))
      case other :: _ => throw refused(other)
    }

  private def withOption(settings: HopSettings, option: String, value: String): HopSettings =
    option match {
      case "--rows"       => settings.copy(rows = Some(value.toLong))
      case "--spark-rows" => settings.copy(sparkRows = value.toLong)
      case "--keys"       => settings.copy(keys = Some(value.toInt))
      case "--rate"       => settings.copy(rate = Some(value.toInt))
      case "--files"      => settings.copy(files = value.toInt)
      case "--size"       => settings.copy(size = value.toInt)
      case "--pairs"      => settings.copy(pairs = value.toInt)
      case "--states" if value.split(",").forall(States.Names.contains(_)) =>
        settings.copy(states = value.split(",").toSeq)
      case "--side" if Sides.contains(value) => settings.copy(side = Some(value))
      case "--data" => settings.copy(data = Paths.get(value).toAbsolutePath)
      case "--heap" => settings.copy(heap = value)
      case _        => throw refused(s"$option $value")
    }

  private def refused(argument: String) = new IllegalArgumentException(
    s"'$argument' is not ${(Usual ++ Named).mkString(", ")}, --rows N, --spark-rows N, --keys N, " +
      s"--rate N, --files N, --size SECONDS, --pairs N, --states ${States.Names.mkString(",")}, " +
      s"--side ${Sides.mkString("|")}, --sql, --data DIR or --heap SIZE"
  )
}
