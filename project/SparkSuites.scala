import sbt._
import sbt.Keys._

/** What Spark's own suites need to run: Spark's test jars, and the files that the tests read. */
object SparkSuites {

  private val spark = SparkVersions.default.full

  private def tests(module: String): ModuleID =
    ("org.apache.spark" %% module % spark).classifier("tests")

  private val dependencies = Seq(
    "org.apache.spark" %% "spark-sql" % spark,
    tests("spark-sql"),
    tests("spark-catalyst"),
    tests("spark-core"),
    "org.scalatest" %% "scalatest" % "3.2.19",
    "org.scalatestplus" %% "scalacheck-1-18" % "3.2.19.0",
    "org.scalatestplus" %% "mockito-5-12" % "3.2.19.0"
  )

  /** Unpacks the files that Spark's tests read to where the tests look for them. */
  private val sparkHome = Def.task {
    val home = target.value / "spark-home"
    val resources = home / "sql" / "core" / "src" / "test" / "resources"
    val jars = update.value
      .select(artifactFilter(classifier = "tests"))
      .filter(_.getName.startsWith("spark-sql_"))
    // Services stay in the jar alone, or Spark would find each one twice.
    def isResource(name: String) = !name.endsWith(".class") && !name.startsWith("META-INF/")
    val _ = FileFunction.cached(streams.value.cacheDirectory / "spark-home") { in =>
      in.flatMap(IO.unzip(_, resources, isResource(_: String)))
    }(jars.toSet)
    (home, resources)
  }

  private val work = Def.setting(target.value / "work")

  val settings: Seq[Setting[_]] = Seq(
    libraryDependencies ++= dependencies,
    // Some of these tests read their files as files: the folder goes before the jar.
    Runtime / unmanagedClasspath += Attributed.blank(sparkHome.value._2),
    Compile / bgRun / bgCopyClasspath := false,
    run / fork := true,
    run / baseDirectory := { IO.createDirectory(work.value); work.value },
    run / envVars := Map("SPARK_TESTING" -> "1"),
    run / javaOptions ++= Seq(
      s"-Dspark.test.home=${sparkHome.value._1}",
      s"-Dtidegate.spark-suites=${baseDirectory.value}",
      s"-Djava.io.tmpdir=${work.value}",
      "-Duser.timezone=America/Los_Angeles",
      "-ea",
      "-Xss4m",
      "-Xmx4g",
      "-XX:ReservedCodeCacheSize=1g",
      // Queries of a few rows do not live long enough for better code.
      "-XX:TieredStopAtLevel=1",
      // As in the tests of Tidegate: small batches spend half of their time on such processes.
      "-Dspark.hadoop.fs.AbstractFileSystem.file.impl=tidegate.DirectFiles",
      "-Dspark.hadoop.fs.file.impl=tidegate.DirectLocalFileSystem",
      // Spark deletes folders with a process of the system.
      "-Djdk.lang.Process.launchMechanism=VFORK"
    )
  )
}
