package tidegate

import java.nio.file.{Files, Path, Paths}

import scala.jdk.CollectionConverters._
import scala.util.matching.Regex

import org.scalatest.funsuite.AnyFunSuite

/**
 * Reads every main file: a package may import only packages below it, and inside a package, as well
 * as in the whole core, no files refer to each other in a circle. See `docs/design/000-a-map.md`.
 */
class ArrowsSuite extends AnyFunSuite {
  import ArrowsSuite._

  private val folder = Paths.get(sys.props("tidegate.main-sources"))

  private lazy val sources: Seq[Source] = sourcesIn(folder)

  private lazy val coreSources: Seq[Source] =
    sourcesIn(folder.resolve("../../../../../core/src/main/scala").normalize)

  private def sourcesIn(folder: Path): Seq[Source] = {
    val files = Files.walk(folder)
    try
      files.iterator.asScala
        .filter(_.toString.endsWith(".scala"))
        .map(file => Source.of(folder.relativize(file).toString, Files.readString(file)))
        .toVector
    finally files.close()
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
      pointingUp(Source("A.scala", inPackage, imports, ""))
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
    assert(found(Source("A.scala", "tidegate.clock", NotInSpark40.map(_ + ".A"), "")).size === 3)
  }

  test("no files of a package refer to each other in a circle, nor files of the core") {
    def inOrder(files: Seq[Source]) = files.filterNot(file => NotYetInOrder(file.inPackage))
    val packages = inOrder(sources).groupBy(_.inPackage).values.toSeq
    assert((inOrder(coreSources) +: packages).flatMap(circles) === Nil)
  }

  test("a package that is in order is not on the list of those that are not yet") {
    val all = sources ++ coreSources
    val inOrder =
      NotYetInOrder.toSeq.filter(name => circles(all.filter(_.inPackage == name)).isEmpty)
    assert(inOrder === Nil, "- take them off ArrowsSuite.NotYetInOrder")
  }

  test("a circle of files is found, whatever refers to what") {
    def file(name: String, text: String) = Source.of(s"$name.scala", s"package tidegate.x\n$text")
    val a = file("A", "trait A\nobject A { def of = new B }")
    val b = file("B", "class B extends C")
    def found(c: String) = circles(Seq(a, b, file("C", c), file("D", "class D extends B")))
    assert(found("trait C { val a: A }") === Seq(Seq("A.scala", "B.scala", "C.scala")))
    assert(found("trait C { def text = s\"$" + "{A.of}\" }").size === 1)
    assert(found("trait C").isEmpty)
    assert(found("/** As [[A]]. */\ntrait C { val a = \"A\" } // A").isEmpty)
  }

  test("the core knows nothing of Spark") {
    // Others are of an object in scope.
    val imports = coreSources.flatMap(_.imports).filter(_.head.isLower)
    assert(imports.nonEmpty)
    val allowed = Seq("tidegate.core", "java.", "scala.", "org.json4s")
    assert(imports.filterNot(i => allowed.exists(i.startsWith)) === Nil)
  }
}

object ArrowsSuite {
  private val Package = """package (?:object )?(tidegate[\w.]*)(?: .*)?""".r
  private val Import = """import ([\w.]+(?:\.\{.*|\._)?)""".r

  private val Definition =
    """(?m)^(?:(?:private|protected|sealed|final|abstract|case|implicit)(?:\[\w+\])? )*""" +
      """(?:class|object|trait) (\w+)"""

  /**
   * A main file.
   *
   * @param imports
   *   as they are written
   * @param code
   *   without imports, comments and texts
   */
  private final case class Source(
      path: String,
      inPackage: String,
      imports: Seq[String],
      code: String
  ) {

    /** The names that the file defines for its package. */
    lazy val defines: Set[String] = Definition.r.findAllMatchIn(code).map(_.group(1)).toSet

    lazy val words: Set[String] = """\w+""".r.findAllIn(code).toSet
  }

  private object Source {

    def of(path: String, text: String): Source = {
      val lines = text.linesIterator.map(_.trim).toVector
      val name = lines.collectFirst { case Package(name) => name }.getOrElse("")
      Source(path, name, lines.collect { case Import(of) => of }, code(text))
    }

    private def code(text: String): String = {
      val withoutComments = text.replaceAll("(?s)/\\*.*?\\*/", "").replaceAll("(?m)//.*$", "")
      val withoutTexts =
        Texts.replaceAllIn(
          withoutComments,
          found => Regex.quoteReplacement(Inserted.findAllIn(found.matched).mkString(" ", " ", " "))
        )
      withoutTexts.replaceAll("(?m)^import .*$", "")
    }

    private val Texts = "(?s)\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\n])*\"".r
    private val Inserted = "(?<=\\$\\{)[^}]*".r
  }

  /** Packages with circles of files, until these are broken. */
  private val NotYetInOrder: Set[String] = Set.empty

  /** Files that refer to each other in a circle. */
  private def circles(files: Seq[Source]): Seq[Seq[String]] = {
    val refersTo = files.map { file =>
      file -> files.filter(f => (f ne file) && (f.defines -- file.defines).exists(file.words))
    }.toMap
    def reached(from: Source): Set[Source] = {
      def walk(known: Set[Source], next: Set[Source]): Set[Source] = {
        val found = next.flatMap(refersTo) -- known
        if (found.isEmpty) known else walk(known ++ found, found)
      }
      walk(Set.empty, Set(from))
    }
    val reach = files.map(file => file -> reached(file)).toMap
    val inCircles = files.filter(file => reach(file)(file))
    inCircles
      .groupBy(file => inCircles.filter(f => reach(file)(f) && reach(f)(file)).map(_.path).sorted)
      .keys
      .toSeq
  }

  /** From the bottom. A package may import those of the layers before its own. */
  private val Layers: Seq[Seq[String]] = Seq(
    Seq("tidegate.files"),
    Seq("tidegate.errors"),
    Seq("tidegate.functions"),
    Seq("tidegate.paths"),
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
      "tidegate.own.asof",
      "tidegate.own.deduplication",
      "tidegate.own.order",
      "tidegate.own.over"
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
    Seq("tidegate.testing"),
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
