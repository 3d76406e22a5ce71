import sbt._
import sbt.Keys.{target => targetKey, _}

/** The only list of Spark versions: one jar is built per Spark minor version. */
object SparkVersions {

  /** The Spark that is built and tested if nothing else is said. */
  val default: SparkLine = SparkLine(minor = "4.2", full = "4.2.0")

  val others: Seq[SparkLine] = Seq(
    SparkLine(minor = "4.0", full = "4.0.1"),
    SparkLine(minor = "4.1", full = "4.1.1"),
    SparkLine(minor = "4.3", full = "4.3.0", isPublic = false)
  )

  private lazy val all = (default +: others).sortBy(_.minor)

  def apply(minor: String): SparkLine = others.find(_.minor == minor).get

  /**
   * A line of Spark.
   *
   * @param isPublic
   *   whether its jars are in the public repository; if not, they are taken out of its PySpark
   */
  final case class SparkLine(minor: String, full: String, isPublic: Boolean = true) {
    private def isDefault = this == default

    /** The name of the project of sbt. */
    def project: String = if (isDefault) "spark" else s"spark${minor.replace(".", "")}"

    /** All projects have the same folder, so each needs another one for what it makes. */
    def target: Seq[Setting[_]] =
      if (isDefault) Nil
      else Seq(targetKey := baseDirectory.value / "target" / s"spark-$minor")

    /** Where the jars of sources and brokers are that the tests need. */
    def jars: Def.Initialize[File] = Def.setting {
      val build = (ThisBuild / baseDirectory).value / "build"
      if (isDefault) build else build / s"spark-$minor"
    }

    /** What the jar knows about itself. */
    def thisJar: Setting[_] = Compile / sourceGenerators += Def.task {
      val file = (Compile / sourceManaged).value / "tidegate" / "ThisJar.scala"
      val sparks = all.map(line => "\"" + line.minor + "\"").mkString(", ")
      IO.write(file,
        s"""package tidegate
           |
           |/** Made by the build. */
           |private[tidegate] object ThisJar {
           |
           |  /** The version of Tidegate. */
           |  val Version = "${version.value}"
           |
           |  /** The Spark that this jar is for. */
           |  val Spark = "$minor"
           |
           |  /** All that there are jars for. */
           |  val Sparks = Seq($sparks)
           |}
           |""".stripMargin)
      Seq(file)
    }

    /** Spark itself, which is on the class path of whoever uses the jar. */
    def spark: Seq[Setting[_]] =
      if (isPublic) Seq(libraryDependencies += "org.apache.spark" %% "spark-sql" % full % Provided)
      else Seq(Compile / unmanagedClasspath ++= PySparkJars.of(full).value.classpath)

    /** The connector to Kafka; a Spark that is not in the public repository takes the default's. */
    def connector: String = if (isPublic) full else default.full

    /** Spark's tests, for the SQL in them. */
    def tests(in: Configuration): Seq[ModuleID] =
      if (!isPublic) Nil
      else
        Seq(("org.apache.spark" %% "spark-sql" % full % in).classifier("tests").intransitive())

    /** Beside `scala`: `scala-spark`, `scala-spark-4.1`, `scala-spark-4.0-4.2` and such. */
    def sources(folder: File): Seq[File] = {
      val Range = """scala-spark(?:-(\d+\.\d+))?(?:-(\d+\.\d+))?""".r
      def number(version: String) = version.drop(version.indexOf('.') + 1).toInt
      Option(folder.listFiles).toSeq.flatten.filter {
        _.getName match {
          case Range(null, _)     => true
          case Range(only, null)  => only == minor
          case Range(first, last) => number(first) <= number(minor) && number(minor) <= number(last)
          case _                  => false
        }
      }
    }
  }
}
