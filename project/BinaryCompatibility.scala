import com.typesafe.tools.mima.core.ProblemFilter
import com.typesafe.tools.mima.plugin.MimaPlugin.autoImport._
import sbt._
import sbt.Keys._

/** `./sbt spark/mimaReportBinaryIssues`: jars that use Tidegate run with the next build as well. */
object BinaryCompatibility {

  /** The builds in the public repository that this one has to be compatible with: `"0.2.0"`. */
  private val published = Seq.empty[String]

  /** What the documentation names, in packages that are not public themselves. */
  private val named = Seq(
    "builders.Between",
    "plans.AsyncFunction",
    "plans.CallKey",
    "snapshot.Compatibility",
    "snapshot.Inspected",
    "snapshot.Inspection",
    "snapshot.SnapshotInfo",
    "snapshot.StageVerdict"
  )

  /**
   * What is in the package `tidegate`, but private to it: the comparison does not see that of a
   * whole class. The facade of Python is in one wheel with its caller.
   */
  private val internal = Seq("Injections", "PythonFacade", "SparkMatch", "ThisJar")

  /** The package `tidegate` itself, the one for Java, and what is named. */
  private def isPublic(name: String): Boolean = {
    val inside = name.stripPrefix("tidegate.")
    val inPackage = inside.startsWith("package") || inside.headOption.exists(_.isUpper)
    name != inside && !internal.exists(inside.startsWith) &&
    (inPackage || Seq("javaapi.", "testing.").exists(inside.startsWith) || named.exists(inside.startsWith))
  }

  private val publicOnly: ProblemFilter = _.matchName.forall(isPublic)

  val settings: Seq[Setting[_]] = Seq(
    mimaPreviousArtifacts :=
      published.map(organization.value % s"${moduleName.value}_2.13" % _).toSet,
    mimaBinaryIssueFilters += publicOnly,
    mimaReportBinaryIssues := Def.taskIf {
      if (mimaPreviousArtifacts.value.isEmpty)
        streams.value.log.info(
          s"There is no published build of ${moduleName.value} yet: nothing to compare with."
        )
      else mimaReportBinaryIssues.value
    }.value
  )
}
