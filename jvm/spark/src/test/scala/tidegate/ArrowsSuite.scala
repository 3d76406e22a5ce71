package tidegate

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

/**
 * Reads the imports of every main file: a package may import only packages below it. See
 * `docs/design/000-a-map.md`.
 */
class ArrowsSuite extends AnyFunSuite {
  import ArrowsSuite._

  private val folder = Paths.get(sys.props("tidegate.main-sources"))

  private lazy val sources: Seq[Source] = {
    val files = Files.walk(folder)
    try files.iterator.asScala.filter(_.toString.endsWith(".scala")).map(read).toVector
    finally files.close()
  }

  private def read(file: Path): Source = {
    val lines = Files.readString(file).linesIterator.map(_.trim).toVector
    val name = lines.collectFirst { case Package(name) => name }.getOrElse("")
    val imports = lines.collect { case Import(path) => path }
    Source(folder.relativize(file).toString, name, imports)
  }

  test("every package has a place among the layers") {
    val known = Layers.flatten.toSet
    val unknown = sources.map(_.inPackage).distinct.filterNot(known)
    assert(sources.size > 100)
    assert(unknown === Nil, "- give them a place in ArrowsSuite.Layers, and on the map")
  }

  test("no import points to a package above") {
    assert(sources.flatMap(pointingUp) === Nil)
  }

  test("an arrow that points up is found, whatever its form") {
    def found(inPackage: String, imports: String*) =
      pointingUp(Source("A.scala", inPackage, imports))
    assert(found("tidegate.plans", "tidegate.clock.RunningQuery").size === 1)
    assert(found("tidegate.plans", "tidegate.clock.{A, B}").size === 1)
    assert(found("tidegate.clock", "tidegate.sql._").size === 1)
    assert(found("tidegate.clock", "tidegate._").size === 1)
    assert(found("tidegate.execution", "tidegate.own.windows.FrameRow").size === 1)
    assert(found("tidegate.own.windows", "tidegate.execution.DropLateExec") === Nil)
    assert(found("tidegate.clock", "tidegate.core.clock.QueryClock") === Nil)
    assert(found("tidegate", "tidegate.sql.parser.TidegateSqlParser") === Nil)
  }

  test("packages that Spark 4.0 lacks are imported in the folder of a Spark version alone") {
    def found(source: Source) = source.imports.filter(i => NotInSpark40.exists(i.startsWith))
    assert(sources.flatMap(s => found(s).map(i => s"${s.path} imports $i")) === Nil)
    assert(found(Source("A.scala", "tidegate.clock", NotInSpark40.map(_ + ".A"))).size === 3)
  }

  test("the core knows nothing of Spark") {
    val core = Paths.get(sys.props("tidegate.main-sources"), "../../../../../core/src/main/scala")
    val files = Files.walk(core.normalize)
    try {
      val imports = for {
        file <- files.iterator.asScala.filter(_.toString.endsWith(".scala")).toVector
        Import(path) <- Files.readString(file).linesIterator.map(_.trim).toVector
        // Others are of an object in scope.
        if path.head.isLower
      } yield path
      assert(imports.nonEmpty)
      val allowed = Seq("tidegate.core", "java.", "scala.", "org.json4s")
      assert(imports.filterNot(i => allowed.exists(i.startsWith)) === Nil)
    } finally files.close()
  }
}

object ArrowsSuite {
  private val Package = """package (?:object )?(tidegate[\w.]*)(?: .*)?""".r
  private val Import = """import ([\w.]+(?:\.\{.*|\._)?)""".r

  /** A main file, with its imports as they are written. */
  private final case class Source(path: String, inPackage: String, imports: Seq[String])

  /** From the bottom. A package may import those of the layers before its own. */
  private val Layers: Seq[Seq[String]] = Seq(
    Seq("tidegate.files"),
    Seq("tidegate.errors"),
    Seq("tidegate.settings"),
    Seq("tidegate.columns"),
    Seq("tidegate.plans"),
    Seq("tidegate.operators"),
    Seq("tidegate.statistics"),
    Seq("tidegate.sources"),
    Seq("tidegate.clock"),
    Seq("tidegate.ui"),
    Seq("tidegate.execution"),
    Seq("tidegate.execution.calls"),
    Seq("tidegate.own"),
    Seq("tidegate.own.due", "tidegate.own.rows"),
    Seq("tidegate.own.aggregates"),
    Seq(
      "tidegate.own.windows",
      "tidegate.own.sessions",
      "tidegate.own.join",
      "tidegate.own.deduplication",
      "tidegate.own.order"
    ),
    Seq("tidegate.analysis"),
    Seq("tidegate.checks"),
    Seq("tidegate.preparation"),
    Seq("tidegate.planning"),
    Seq("tidegate.snapshot"),
    Seq("tidegate.request"),
    Seq("tidegate.builders"),
    Seq("tidegate.sql"),
    Seq("tidegate.sql.parser"),
    Seq("tidegate")
  )

  private val NotInSpark40: Seq[String] =
    Seq("runtime", "checkpointing", "operators").map(
      "org.apache.spark.sql.execution.streaming." + _
    )

  private val layerOf: Map[String, Int] =
    Layers.zipWithIndex.flatMap { case (names, i) => names.map(_ -> i) }.toMap

  private def pointingUp(source: Source): Seq[String] = for {
    path <- source.imports
    target <- targetOf(path)
    if target != source.inPackage && layerOf(target) >= layerOf(source.inPackage)
  } yield s"${source.path} imports $path"

  /** The package of ours that an import names, the longest that fits; none for the core. */
  private def targetOf(path: String): Option[String] =
    if (path.startsWith("tidegate.core.")) None
    else
      layerOf.keys.toSeq
        .filter(name => path == name || path.startsWith(s"$name."))
        .sortBy(-_.length)
        .headOption
}
