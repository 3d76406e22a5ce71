package tidegate

import java.lang.management.ManagementFactory
import java.nio.file.{Files, Path}
import java.util.concurrent.TimeUnit

import scala.jdk.CollectionConverters._
import scala.util.Using

/**
 * A process with the classes of the tests, to be killed. Its program begins when it is told to,
 * because Spark takes longer to start than most queries to run.
 *
 * @param program
 *   an object with a `main` that calls `ChildJvm.awaitStart`
 * @param log
 *   where its output goes
 */
final class ChildJvm(program: AnyRef, arguments: Seq[String], log: Path, memory: String = "1g") {
  private val process: Process = {
    val java = Path.of(sys.props("java.home"), "bin", "java").toString
    val options = ManagementFactory.getRuntimeMXBean.getInputArguments.asScala
    // The last -Xmx counts.
    val command = Seq(java) ++ options ++ Seq(s"-Xmx$memory") ++
      Seq(program.getClass.getName.stripSuffix("$")) ++ arguments
    val builder = new ProcessBuilder(command.asJava)
      .redirectErrorStream(true)
      .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile))
    builder.environment().put("CLASSPATH", sys.props("java.class.path"))
    builder.start()
  }

  def start(): Unit = Using.resource(process.getOutputStream)(_.write(ChildJvm.Go))

  def isAlive: Boolean = process.isAlive

  /** Waits for its end, and says whether it ended well; false if it has not after ten minutes. */
  def succeeds(): Boolean = process.waitFor(10, TimeUnit.MINUTES) && process.exitValue() == 0

  def kill(): Unit = { val _ = process.destroyForcibly().waitFor() }

  /** What it has said, if it has ended by itself. */
  def failure: Option[String] = if (isAlive) None else Some(Files.readString(log))
}

object ChildJvm {
  private val Go = 1

  /** For the program: false if the process is not needed any more. */
  def awaitStart(): Boolean = System.in.read() == Go
}
