import SparkVersions.{default, SparkLine}

val scalaTest = "org.scalatest" %% "scalatest" % "3.2.19" % Test
val scalaTestPlusCheck = "org.scalatestplus" %% "scalacheck-1-18" % "3.2.19.0" % Test
val json4s = "org.json4s" %% "json4s-jackson" % "4.0.7"

/** What Spark needs opened on Java 17 and later; the same list as Spark's own launcher. */
val javaModuleOptions = Seq("lang", "lang.invoke", "lang.reflect", "io", "net", "nio", "util",
  "util.concurrent", "util.concurrent.atomic").map(p => s"--add-opens=java.base/java.$p=ALL-UNNAMED") ++
  Seq("nio.ch", "nio.cs", "security.action", "util.calendar").map(p =>
    s"--add-opens=java.base/sun.$p=ALL-UNNAMED")

inThisBuild(Publication.settings ++ Seq(
  organization := "io.tidegate",
  version := IO.read(file("version.txt")).trim,
  scalaVersion := "2.13.18",
  semanticdbEnabled := true,
  semanticdbVersion := "4.14.2"
))

TestGroups.limit

/** Tells the tests where the behaviour that is given as data is. */
lazy val scenarios = Def.setting {
  "-Dtidegate.scenarios=" +
    ((ThisBuild / baseDirectory).value / "tests" / "scenarios").getAbsolutePath
}

/** Spark's own tests, for the SQL in them. In a configuration of its own, no classpath has them. */
lazy val SparkTests = config("spark-tests").hide

lazy val sparkTests = Def.task {
  "-Dtidegate.spark-tests=" +
    update.value.select(configurationFilter(SparkTests.name)).map(_.getAbsolutePath).mkString
}

lazy val settings = Seq(
  scalacOptions ++= Seq("-deprecation", "-feature", "-unchecked", "-Xlint", "-Wunused", "-Werror",
    "-release", "17"),
  libraryDependencies ++= Seq(scalaTest, scalaTestPlusCheck),
  Test / fork := true,
  Test / parallelExecution := false,
  Test / testOptions += Tests.Argument("-oD")
)

/** What every build takes part in. Spark's own suites do not: they bring jars of their own. */
lazy val root = (project in file("."))
  .aggregate(core, spark, bench)
  .settings(name := "tidegate", publish / skip := true)

lazy val core = (project in file("jvm/core"))
  .settings(settings)
  .settings(
    name := "tidegate-core",
    publish / skip := true,
    // Reads and writes the checkpoint; Spark has it.
    libraryDependencies += json4s % Provided,
    Test / javaOptions += scenarios.value,
    // How many seeds the simulator runs, from which on, or which one it replays.
    Test / javaOptions ++= Seq("tidegate.seeds", "tidegate.first-seed", "tidegate.seed")
      .flatMap(name => sys.props.get(name).map(value => s"-D$name=$value"))
  )

/** One project for each Spark: `spark` for the default one. */
lazy val spark = sparkProject(default)
lazy val spark40 = sparkProject(SparkVersions("4.0"))
lazy val spark41 = sparkProject(SparkVersions("4.1"))
lazy val spark43 = sparkProject(SparkVersions("4.3"))

def sparkProject(line: SparkLine): Project = Project(line.project, file("jvm/spark"))
  .dependsOn(core % "compile->compile;test->test")
  .configs(SparkTests)
  .settings(settings)
  .settings(SourceJars.settings(line))
  .settings(TestGroups.settings)
  .settings(Scaladoc.settings)
  .settings(BinaryCompatibility.settings)
  .settings(
    name := s"tidegate-spark-${line.minor}",
    Publication.selfContained(core),
    line.spark,
    line.target,
    line.thisJar,
    libraryDependencies ++= line.tests(SparkTests),
    // `make demo` brings no jars of tests.
    libraryDependencies ~= { modules =>
      val ofTests = Set("test", SparkTests.name, SourceJars.Broker.name, SourceJars.Delta.name)
      modules.filterNot(m => sys.props.contains("tidegate.demo") && m.configurations.exists(ofTests))
    },
    Compile / unmanagedSourceDirectories ++= line.sources((Compile / sourceDirectory).value),
    Test / unmanagedSourceDirectories ++= line.sources((Test / sourceDirectory).value),
    assembly / target := (ThisBuild / baseDirectory).value / "build" / "jars",
    assembly / assemblyJarName := s"tidegate-spark-${line.minor}_2.13-${version.value}.jar",
    assembly / assemblyOption ~= (_.withIncludeScala(false)),
    // Jars of Spark name other jars that are not there.
    Compile / compile / javacOptions ++=
      Seq("--release", "17", "-Xlint:all,-path,-classfile,-processing", "-Werror"),
    Test / compile / javacOptions ++= Seq("--release", "17"),
    Test / javaOptions ++= javaModuleOptions ++ Seq("-Xmx4g", "-Duser.timezone=UTC"),
    // Queries of a few rows do not live long enough for better code and a parallel collector, but
    // their code is more than Java keeps by default.
    Test / javaOptions ++= Seq("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmn1g",
      "-XX:MetaspaceSize=512m", "-XX:ReservedCodeCacheSize=1g"),
    // Spark deletes folders with a process of the system.
    Test / javaOptions += "-Djdk.lang.Process.launchMechanism=VFORK",
    Test / javaOptions ++= Seq(scenarios.value, sparkTests.value),
    Test / javaOptions += s"-Dtidegate.main-sources=${(Compile / scalaSource).value / "tidegate"}",
    Test / javaOptions += s"-Dtidegate.docs=${(ThisBuild / baseDirectory).value / "docs"}",
    // These take long: `make test-faults` and `make test-nightly` run them by name.
    Test / test / testOptions += Tests.Filter { suite =>
      !suite.startsWith("tidegate.faults.") && suite != "tidegate.golden.GoldenCheckpointSuite" &&
        suite != "tidegate.kafka.KafkaKillSuite"
    },
    // Suites again on Spark's join, and tests of others that take a way that is tested otherwise:
    // `make test-stores` runs all of them.
    Test / test / testOptions ++= {
      if (sys.props.get("tidegate.stores").contains("all")) Nil
      else
        Seq(Tests.Filter(s => !s.endsWith("OfSparkSuite") || s.endsWith(".JoinBoundsOfSparkSuite"))) ++
          (if (line == default) Seq(Tests.Argument("-l", "tidegate.AtNight")) else Nil)
    },
    Test / javaOptions += s"-Dtidegate.golden=${(Test / resourceDirectory).value / "golden"}",
    Test / javaOptions ++= Seq("cases", "kills", "queries", "seed", "stores", "golden.write").flatMap { name =>
      sys.props.get(s"tidegate.$name").map(value => s"-Dtidegate.$name=$value")
    }
  )

/** What starts no stream. */
addCommandAlias(
  "testQuickly",
  "; core/test; spark/testOnly tidegate.ArrowsSuite tidegate.settings.* " +
    "tidegate.clock.ClockOffsetSuite tidegate.golden.OffsetFormatSuite " +
    "tidegate.own.windows.FrameFormatSuite tidegate.builders.*RefusalSuite " +
    "tidegate.sql.parser.*Suite " +
    "tidegate.own.aggregates.GeneratePackedSlotsSuite -tidegate.sql.parser.SparkCorpusSuite"
)

lazy val bench = (project in file("jvm/bench"))
  .dependsOn(core, spark)
  .enablePlugins(JmhPlugin)
  .settings(settings)
  .settings(
    name := "tidegate-bench",
    publish / skip := true,
    libraryDependencies += "org.apache.spark" %% "spark-sql" % default.full,
    run / fork := true,
    // What the benchmarks write goes to the same build/ as everything else.
    run / baseDirectory := (ThisBuild / baseDirectory).value,
    javaOptions ++= javaModuleOptions ++ Seq("-Xmx6g", "-Duser.timezone=UTC")
  )

/** `make test-spark-suites`. */
lazy val sparkSuites = (project in file("jvm/spark-suites"))
  // The tests of Tidegate have files that start no processes.
  .dependsOn(spark % "compile->compile;runtime->test")
  .settings(settings)
  .settings(SparkSuites.settings)
  .settings(
    name := "tidegate-spark-suites",
    publish / skip := true,
    run / javaOptions ++= javaModuleOptions
  )
