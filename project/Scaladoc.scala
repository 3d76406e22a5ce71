import sbt._
import sbt.Keys._

/** `./sbt spark/doc`: the reference for users of Scala. */
object Scaladoc {

  /** What users name is in the package `tidegate`; some of its types are classes of these. */
  private val shown = Set("builders", "plans", "snapshot", "testing")

  private val hidden = Def.setting {
    val below = ((Compile / scalaSource).value / "tidegate").listFiles.filter(_.isDirectory)
    val inner = below.map(_.getName).filterNot(shown).sorted.map(name => s"tidegate.$name")
    ("org" +: inner.toSeq).mkString(":")
  }

  val settings: Seq[Setting[_]] = Seq(
    // In place of the compiler's options: with -Werror, each warning of Scaladoc would be an error,
    // such as that of a link to an exception of Spark, which is not a part of the reference.
    Compile / doc / scalacOptions := Seq(
      "-doc-title",
      "Tidegate",
      "-doc-version",
      version.value,
      "-no-link-warnings",
      "-skip-packages",
      hidden.value
    )
  )
}
