import sbt._
import sbt.Keys._

/** Kafka for the tests: a broker, and Spark's connector to it. */
object KafkaJars {

  /** The broker runs in a process of its own: no classpath has its libraries. */
  val Broker = config("kafka-broker").hide

  /** For sessions that are started from jars, as those of Python. */
  val Connector = config("kafka-connector").hide

  val kafkaJars = taskKey[File]("Puts the jars of a broker and of the connector into build/kafka.")

  private val tokens = "spark-token-provider-kafka-0-10"
  private val tests = "test,kafka-connector"

  private val dependencies = Seq(
    "org.apache.kafka" %% "kafka" % "3.9.1" % Broker,
    // Without it the broker would not say why it does not start.
    "org.slf4j" % "slf4j-simple" % "1.7.36" % Broker,
    ("org.apache.spark" %% "spark-sql-kafka-0-10" % SparkVersions.default.full % tests)
      .exclude("org.apache.spark", s"${tokens}_2.13"),
    // It is about delegation tokens, which no test uses; this is the last version that there is.
    "org.apache.spark" %% tokens % "4.0.0" % tests
  )

  /** To each folder its jars; the connector is without what Spark itself brings. */
  private def folders(report: UpdateReport): Seq[(String, Seq[File])] = {
    def modules(c: Configuration) = report.configuration(ConfigRef(c.name)).toSeq.flatMap(_.modules)
    def name(m: ModuleReport) = m.module.organization -> m.module.name
    val ofSpark = modules(Provided).map(name).toSet
    Seq(
      "broker" -> modules(Broker),
      "connector" -> modules(Connector).filterNot(m => ofSpark(name(m)))
    ).map { case (folder, all) => folder -> all.flatMap(_.artifacts.map(_._2)) }
  }

  val settings: Seq[Setting[_]] = Seq(
    ivyConfigurations ++= Seq(Broker, Connector),
    libraryDependencies ++= dependencies,
    kafkaJars := {
      val target = (ThisBuild / baseDirectory).value / "build" / "kafka"
      val files = for ((folder, jars) <- folders(update.value); jar <- jars)
        yield jar -> target / folder / jar.getName
      Sync.sync(streams.value.cacheStoreFactory.make("kafka-jars"))(files)
      target
    },
    // What asks a topic for its settings is compiled with it, and loaded only where it is.
    Compile / unmanagedClasspath ++=
      Attributed.blankSeq(update.value.select(configurationFilter(Connector.name))),
    Test / javaOptions += s"-Dtidegate.kafka=${kafkaJars.value.getAbsolutePath}"
  )
}
