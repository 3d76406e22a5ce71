package tidegate.bench.order

import java.nio.file.{Path, Paths}

import tidegate.bench.States

/** The arguments of the benchmark, as documented in its README. */
private[order] final case class OrderSettings(
    part: String = "order",
    rows: Long = 5000000L,
    keys: Int = 10000,
    rate: Int = 5000,
    disorder: Int = 60,
    files: Int = 40,
    pairs: Int = 3,
    states: Seq[String] = States.Names,
    side: String = Side.Tidegate.name,
    data: Path = Paths.get("build", "bench").toAbsolutePath,
    heap: String = "1g"
) {

  def shape: ArrivalShape = ArrivalShape(rows, keys, rate, disorder, files)
}

private[order] object OrderSettings {

  /** The parts; `order` runs `once` in separate processes. */
  private val Parts = Seq("order", "once")

  def parse(arguments: Seq[String]): OrderSettings =
    parse(arguments.toList, OrderSettings())

  private def parse(arguments: List[String], settings: OrderSettings): OrderSettings =
    arguments match {
      case Nil                                    => settings
      case part :: others if Parts.contains(part) => parse(others, settings.copy(part = part))
      case option :: value :: others => parse(others, withOption(settings, option, value))
      case other :: _                => throw refused(other)
    }

  private def withOption(settings: OrderSettings, option: String, value: String): OrderSettings =
    option match {
      case "--rows"     => settings.copy(rows = value.toLong)
      case "--keys"     => settings.copy(keys = value.toInt)
      case "--rate"     => settings.copy(rate = value.toInt)
      case "--disorder" => settings.copy(disorder = value.toInt)
      case "--files"    => settings.copy(files = value.toInt)
      case "--pairs"    => settings.copy(pairs = value.toInt)
      case "--states" if value.split(",").forall(States.Names.contains(_)) =>
        settings.copy(states = value.split(",").toSeq)
      case "--side" if Side.all.exists(_.name == value) => settings.copy(side = value)
      case "--data" => settings.copy(data = Paths.get(value).toAbsolutePath)
      case "--heap" => settings.copy(heap = value)
      case _        => throw refused(s"$option $value")
    }

  private def refused(argument: String) = new IllegalArgumentException(
    s"'$argument' is not ${Parts.mkString(", ")}, --rows N, --keys N, --rate N, " +
      s"--disorder SECONDS, --files N, --pairs N, --states ${States.Names.mkString(",")}, " +
      s"--side ${Side.all.map(_.name).mkString("|")}, --data DIR or --heap SIZE"
  )
}
