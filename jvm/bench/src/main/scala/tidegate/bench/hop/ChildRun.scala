package tidegate.bench.hop

import java.lang.management.ManagementFactory
import java.nio.file.Paths

import scala.io.Source
import scala.jdk.CollectionConverters._

/**
 * The first run of a part in a process of its own, with memory that nothing else used: `once`, or
 * `empty` for what is not due to the rows.
 */
private[hop] object ChildRun {

  /** @throws java.lang.IllegalStateException if the process fails, with what it printed */
  def apply(part: String, work: Work, settings: HopSettings): HopRun = {
    val process =
      new ProcessBuilder((java(settings.heap) ++ arguments(part, work, settings)).asJava)
        .redirectErrorStream(true)
    // As a variable, since it may be longer than an argument can be.
    process.environment.put("CLASSPATH", sys.props("java.class.path"))
    val child = process.start()
    val stop = new Thread(() => child.destroy())
    Runtime.getRuntime.addShutdownHook(stop)
    val lines = Source.fromInputStream(child.getInputStream).getLines().map(_.trim).toSeq
    val code = child.waitFor()
    Runtime.getRuntime.removeShutdownHook(stop)
    val run = lines.find(_.startsWith("{")).filter(_ => code == 0).map(HopRun.parse)
    run.foreach(r => println(s"  ${r.json}"))
    run.getOrElse(
      throw new IllegalStateException(s"a run ended with $code:\n${lines.mkString("\n")}")
    )
  }

  private def java(heap: String): Seq[String] = {
    val inherited = ManagementFactory.getRuntimeMXBean.getInputArguments.asScala.toSeq
      .filter(o => o.startsWith("--add-opens") || o.startsWith("-Duser"))
    Seq(Paths.get(sys.props("java.home"), "bin", "java").toString, s"-Xmx$heap") ++ inherited
  }

  private def arguments(part: String, work: Work, settings: HopSettings): Seq[String] = {
    val shape = work.bids.shape
    val options = Seq(
      "--rows" -> shape.rows,
      "--keys" -> shape.keys,
      "--rate" -> shape.rate,
      "--files" -> shape.files,
      "--size" -> work.sizeSeconds,
      "--pairs" -> 0,
      "--states" -> work.state,
      "--side" -> (if (work.side == Side.Spark) "spark" else "tidegate"),
      "--data" -> settings.data
    )
    Seq("tidegate.bench.hop.HopBenchmark", part) ++
      options.flatMap { case (name, value) => Seq(name, value.toString) } ++
      Option.when(settings.sql)("--sql")
  }
}
