import sbt._
import sbt.Keys._
import sbtassembly.AssemblyKeys._
import sbtassembly.MergeStrategy
import sbtassembly.PathList

/** One self-contained jar for each Spark, with its sources, its Scaladoc, and a POM. */
object Publication {
  private val home = url("https://github.com/tidegate/tidegate")

  /** For all projects. */
  val settings: Seq[Setting[_]] = Seq(
    description := "Keyed event-time watermarks for Spark Structured Streaming",
    homepage := Some(home),
    licenses := Seq("Apache-2.0" -> url("https://www.apache.org/licenses/LICENSE-2.0.txt")),
    scmInfo := Some(ScmInfo(home, s"scm:git:$home.git")),
    // Whoever publishes says who has developed: -Dtidegate.developer="Name <address>".
    developers := sys.props.get("tidegate.developer").toList.map { person =>
      val Array(name, email) = (person.stripSuffix(">") + "<").split("<", -1).map(_.trim).take(2)
      Developer(name, name, email, home)
    },
    versionScheme := Some("early-semver")
  )

  /**
   * For a project whose jar has the classes of other projects as well.
   *
   * @param of
   *   the other projects
   */
  def selfContained(of: Project): Seq[Setting[_]] = Seq(
    moduleName := name.value,
    // The jar has the classes, so the POM must not ask for them.
    projectDependencies := Nil,
    Compile / packageBin := assembly.value,
    // Otherwise they get the name of the project behind their own.
    assembly / assemblyMergeStrategy := {
      case PathList("META-INF", "LICENSE" | "NOTICE") => MergeStrategy.first
      case path => (assembly / assemblyMergeStrategy).value(path)
    },
    // In the local repositories a version is built anew and anew.
    publishM2Configuration := publishM2Configuration.value.withOverwrite(true),
    publishLocalConfiguration := publishLocalConfiguration.value.withOverwrite(true),
    Compile / packageSrc / mappings ++= (of / Compile / packageSrc / mappings).value,
    Compile / doc / sources ++= (of / Compile / doc / sources).value,
    Compile / resourceGenerators += Def.task {
      val folder = (Compile / resourceManaged).value / "META-INF"
      Seq("LICENSE", "NOTICE").map { name =>
        val file = folder / name
        IO.copyFile((ThisBuild / baseDirectory).value / name, file)
        file
      }
    }
  )
}
