import sbt._
import sbt.Keys._

import scala.sys.process._

/** The jars of a Spark that is not in the public repository, out of its PySpark. */
object PySparkJars {

  def of(version: String): Def.Initialize[Task[Seq[File]]] = Def.task {
    val folder = (ThisBuild / baseDirectory).value / "build" / s"pyspark-$version"
    val ready = folder / ".ready"
    if (!ready.exists) {
      IO.delete(folder)
      streams.value.log.info(s"pip brings PySpark $version, for its jars, into $folder ...")
      // From the Makefile: not every Python of a system has pip.
      val python = sys.env.getOrElse("TIDEGATE_PYTHON", "python3")
      val pip = Seq(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
        "--no-deps", "--target", folder.getPath, s"pyspark==$version")
      if (pip.! != 0) sys.error(s"PySpark $version could not be installed: see above")
      IO.touch(ready)
    }
    (folder / "pyspark" / "jars" * "*.jar").get
  }
}
