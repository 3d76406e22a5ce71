package tidegate.kafka

import java.io.File
import java.net.{InetAddress, ServerSocket}
import java.nio.file.{Files, Path}
import java.util.concurrent.ExecutionException

import scala.concurrent.duration._
import scala.jdk.CollectionConverters._
import scala.util.{Random, Try, Using}

import org.apache.commons.io.FileUtils
import org.apache.kafka.clients.admin.{Admin, DescribeClusterOptions}

/**
 * A Kafka broker, its own controller, in a process of its own.
 *
 * It may be stopped, as a kill would stop it, and started again on its data and its address.
 *
 * @param jars
 *   the folder of its libraries
 * @param own
 *   what is to be set for it besides
 */
final class KafkaBroker(jars: Path, own: (String, Any)*) {
  import KafkaBroker._

  private val folder = Files.createTempDirectory("tidegate-kafka")
  private val properties = folder.resolve("server.properties")
  private val data = folder.resolve("data")
  private val log = folder.resolve("broker.log").toFile
  private val (port, controllerPort) = freePorts()
  private var process: Option[Process] = None

  /** Where clients find it. */
  val address: String = s"$Host:$port"

  Files.writeString(properties, settings.map { case (key, value) => s"$key=$value" }.mkString("\n"))
  // As `kafka-storage format` does, which takes as long to start as the broker.
  Files.createDirectory(data)
  Files.writeString(
    data.resolve("meta.properties"),
    s"version=1\ncluster.id=$ClusterId\nnode.id=1\ndirectory.id=$DirectoryId\n"
  )

  /** Starts it, and waits until it answers. */
  def start(): Unit = {
    val started = run()
    process = Some(started)
    val deadline = StartTimeout.fromNow
    Using.resource(Admin.create(Map[String, AnyRef]("bootstrap.servers" -> address).asJava)) {
      admin =>
        while (!answers(admin)) check(started.isAlive && deadline.hasTimeLeft())
    }
  }

  /** Kills it. */
  def stop(): Unit = {
    process.foreach(_.destroyForcibly().waitFor())
    process = None
  }

  /** Kills it and removes its data. */
  def close(): Unit = {
    stop()
    FileUtils.deleteDirectory(folder.toFile)
  }

  private def answers(admin: Admin): Boolean =
    try !admin.describeCluster(new DescribeClusterOptions().timeoutMs(1000)).nodes.get.isEmpty
    catch { case _: ExecutionException => false }

  private def run(): Process = {
    val java = Path.of(sys.props("java.home"), "bin", "java").toString
    val command = Seq(java) ++ JavaOptions ++
      Seq("-cp", s"$jars${File.separator}*", "kafka.Kafka", properties.toString)
    new ProcessBuilder(command.asJava)
      .redirectErrorStream(true)
      .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
      .start()
  }

  private def check(started: Boolean): Unit =
    if (!started)
      throw new IllegalStateException(
        s"The broker did not start:\n${Files.readString(log.toPath)}"
      )

  private def settings: Seq[(String, Any)] = Seq(
    "process.roles" -> "broker,controller",
    "node.id" -> 1,
    "controller.quorum.voters" -> s"1@$Host:$controllerPort",
    "controller.listener.names" -> "CONTROLLER",
    "listeners" -> s"PLAINTEXT://$address,CONTROLLER://$Host:$controllerPort",
    "log.dirs" -> data,
    "auto.create.topics.enable" -> false,
    "offsets.topic.replication.factor" -> 1,
    // The events of the tests are old: Kafka would delete them.
    "log.retention.ms" -> -1
  ) ++ own
}

object KafkaBroker {

  /**
   * For a broker that is killed: it may come back only when its session has ended. Not for others,
   * which would be shut out as often as the machine is busy for so long.
   */
  val comesBackSoon: Seq[(String, Any)] =
    Seq("broker.heartbeat.interval.ms" -> 500, "broker.session.timeout.ms" -> 6000)

  private val Host = "127.0.0.1"
  private val ClusterId = "dGlkZWdhdGUtdGVzdHMtMQ"
  private val DirectoryId = "dGlkZWdhdGUtZm9sZGVyMQ"
  private val StartTimeout = 5.minutes

  // It works little and has to start fast.
  private val JavaOptions = Seq(
    "-Xmx512m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"
  )

  /**
   * Ports below those that systems give to clients: a client that tries to reach a stopped broker
   * on one of these may be given the very port, and connect to itself.
   */
  private def freePorts(): (Int, Int) = {
    val free = Iterator.continually(Random.between(20000, 30000)).filter(isFree).distinct
    (free.next(), free.next())
  }

  private def isFree(port: Int): Boolean =
    Try(new ServerSocket(port, 1, InetAddress.getByName(Host)).close()).isSuccess
}
