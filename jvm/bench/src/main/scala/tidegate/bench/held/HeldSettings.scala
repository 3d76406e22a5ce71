package tidegate.bench.held

import java.nio.file.{Path, Paths}

import tidegate.bench.States

/** The arguments of the benchmark, as documented in its README. */
private[held] final case class HeldSettings(
    queries: Seq[HeldQuery] = HeldQuery.All,
    keys: Seq[Long] = Seq(20000L, 2000000L),
    states: Seq[String] = Seq("hdfs", "rocksdb-changelog"),
    sides: Seq[String] = HeldSettings.Sides,
    rounds: Int = 2,
    limitSeconds: Int = 600,
    data: Path = Paths.get("build", "bench").toAbsolutePath,
    flink: Option[Path] = None
) {

  /** All that are compared, in the order in which they run. */
  def sidesOf(query: HeldQuery): Seq[String] =
    if (flink.isDefined && !query.isSpread) sides
    else sides.diff(HeldSettings.OfFlink)
}

private[held] object HeldSettings {

  /** All rows at once. */
  val Flink = "flink"

  /** The rows of a batch when a checkpoint has those before. */
  val FlinkEach = "flink-each"

  private val OfFlink = Seq(Flink, FlinkEach)

  val Sides: Seq[String] = Seq("spark", "tidegate") ++ OfFlink

  private val queries = HeldQuery.All ++ HeldQuery.Due

  def parse(arguments: Seq[String]): HeldSettings = {
    val options = arguments.grouped(2).toSeq
    val settings = options.foldLeft(HeldSettings()) {
      case (settings, Seq(option, value)) => withOption(settings, option, value)
      case (_, other)                     => throw refused(other.mkString(" "))
    }
    val namesFlink = options.exists(_.head == "--sides") && settings.sides.exists(OfFlink.contains)
    if (namesFlink && settings.flink.isEmpty)
      throw new IllegalArgumentException(
        s"--sides ${settings.sides.mkString(",")} needs Flink's jars: run `make bench-held-flink`, " +
          s"or leave out ${OfFlink.mkString(" and ")}"
      )
    settings
  }

  private def withOption(settings: HeldSettings, option: String, value: String): HeldSettings = {
    val several = value.split(',').toSeq
    def known(names: Seq[String]) = several.forall(names.contains)
    option match {
      case "--queries" if known(queries.map(_.name)) =>
        settings.copy(queries = queries.filter(q => several.contains(q.name)))
      case "--keys"                          => settings.copy(keys = several.map(_.toLong))
      case "--states" if known(States.Names) => settings.copy(states = several)
      case "--sides" if known(Sides)         => settings.copy(sides = several)
      case "--rounds"                        => settings.copy(rounds = value.toInt)
      case "--limit"                         => settings.copy(limitSeconds = value.toInt)
      case "--data"  => settings.copy(data = Paths.get(value).toAbsolutePath)
      case "--flink" => settings.copy(flink = Some(Paths.get(value).toAbsolutePath))
      case _         => throw refused(s"$option $value")
    }
  }

  private def refused(argument: String) = new IllegalArgumentException(
    s"'$argument' is not --queries ${queries.map(_.name).mkString(",")}, --keys N,N, " +
      s"--states ${States.Names.mkString(",")}, --sides ${Sides.mkString(",")}, --rounds N, " +
      "--limit SECONDS, --data DIR or --flink DIR"
  )
}
