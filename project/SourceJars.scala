import sbt._
import sbt.Keys._

import SparkVersions.SparkLine

/** Sources for the tests: a Kafka broker, Spark's connector to it, and Delta. */
object SourceJars {

  /** The broker runs in a process of its own: no classpath has its libraries. */
  val Broker = config("kafka-broker").hide

  /** For sessions that are started from jars, as those of Python. */
  val Connector = config("kafka-connector").hide

  /** For sessions of Python too. */
  val Delta = config("delta").hide

  val sourceJars = taskKey[Unit]("Puts the jars of Kafka into build/kafka, and of Delta into build/delta.")

  private val tokens = "spark-token-provider-kafka-0-10"
  private val tests = "test,kafka-connector"

  private def dependencies(line: SparkLine) = Seq(
    "org.apache.kafka" %% "kafka" % "3.9.1" % Broker,
    // Without it the broker would not say why it does not start.
    "org.slf4j" % "slf4j-simple" % "1.7.36" % Broker,
    ("org.apache.spark" %% "spark-sql-kafka-0-10" % line.connector % tests)
      .exclude("org.apache.spark", s"${tokens}_2.13"),
    // It is about delegation tokens, which no test uses; this is the last version that there is.
    "org.apache.spark" %% tokens % "4.0.0" % tests intransitive (),
    "io.delta" %% "delta-spark" % "4.4.0" % Delta intransitive (),
    "io.delta" % "delta-storage" % "4.4.0" % Delta intransitive ()
  )

  private def modules(report: UpdateReport, of: Configuration): Seq[ModuleReport] =
    report.configuration(ConfigRef(of.name)).toSeq.flatMap(_.modules)

  private def jars(modules: Seq[ModuleReport]): Seq[File] = modules.flatMap(_.artifacts.map(_._2))

  /** Without what Spark itself brings. */
  private def connector(report: UpdateReport): Seq[File] = {
    def name(m: ModuleReport) = m.module.organization -> m.module.name
    val ofSpark = modules(report, Provided).map(name).toSet
    jars(modules(report, Connector).filterNot(m => ofSpark(name(m))))
  }

  /** To each folder of `build` its jars. */
  private def folders(report: UpdateReport): Seq[(String, Seq[File])] = Seq(
    "kafka/broker" -> jars(modules(report, Broker)),
    "kafka/connector" -> connector(report),
    "delta" -> jars(modules(report, Delta))
  )

  def settings(line: SparkLine): Seq[Setting[_]] = Seq(
    ivyConfigurations ++= Seq(Broker, Connector, Delta),
    libraryDependencies ++= dependencies(line),
    sourceJars := {
      val target = line.jars.value
      val files = for ((folder, jars) <- folders(update.value); jar <- jars)
        yield jar -> target / folder / jar.getName
      val _ = Sync.sync(streams.value.cacheStoreFactory.make("source-jars"))(files)
    },
    // What asks a topic for its settings is compiled with it, and loaded only where it is.
    Compile / unmanagedClasspath ++=
      Attributed.blankSeq(connector(update.value)),
    Test / javaOptions += s"-Dtidegate.kafka=${line.jars.value / "kafka"}",
    Test / test := (Test / test).dependsOn(sourceJars).value,
    Test / testOnly := (Test / testOnly).dependsOn(sourceJars).evaluated
  )
}
