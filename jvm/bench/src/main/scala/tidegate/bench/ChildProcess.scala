package tidegate.bench

import java.lang.management.ManagementFactory
import java.nio.file.Paths

import scala.io.Source
import scala.jdk.CollectionConverters._

/** A run in a separate process, whose memory nothing else has used. */
private[bench] object ChildProcess {

  /**
   * Runs the process, and returns the first line of JSON that it prints.
   *
   * @param arguments
   *   the main class, and its arguments
   * @throws java.lang.IllegalStateException
   *   if the process fails, with what it printed
   */
  def json(heap: String, arguments: Seq[String]): String = {
    val process = new ProcessBuilder((java(heap) ++ arguments).asJava).redirectErrorStream(true)
    // As an environment variable, because the class path may be too long for an argument.
    process.environment.put("CLASSPATH", sys.props("java.class.path"))
    val child = process.start()
    val stop = new Thread(() => child.destroy())
    Runtime.getRuntime.addShutdownHook(stop)
    val lines = Source.fromInputStream(child.getInputStream).getLines().map(_.trim).toSeq
    val code = child.waitFor()
    Runtime.getRuntime.removeShutdownHook(stop)
    lines
      .find(_.startsWith("{"))
      .filter(_ => code == 0)
      .getOrElse(
        throw new IllegalStateException(s"a run ended with $code:\n${lines.mkString("\n")}")
      )
  }

  /** The command of a JVM with the options of this one. */
  def java(heap: String): Seq[String] = {
    val inherited = ManagementFactory.getRuntimeMXBean.getInputArguments.asScala.toSeq
      .filter(o => o.startsWith("--add-opens") || o.startsWith("-Duser"))
    Seq(Paths.get(sys.props("java.home"), "bin", "java").toString, s"-Xmx$heap") ++ inherited
  }
}
