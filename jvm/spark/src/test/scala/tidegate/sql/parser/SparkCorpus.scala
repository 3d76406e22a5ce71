package tidegate.sql.parser

import java.util.zip.ZipFile

import scala.io.Source
import scala.jdk.CollectionConverters._
import scala.util.Using

/** The statements of Spark's own SQL tests. */
private[parser] object SparkCorpus {
  private val Folder = "sql-tests/inputs/"

  /** Roughly as Spark's `SQLQueryTestSuite` takes its files apart. */
  lazy val statements: Seq[String] =
    Using.resource(new ZipFile(sys.props("tidegate.spark-tests"))) { jar =>
      jar.entries.asScala.toSeq
        .filter(e => e.getName.startsWith(Folder) && e.getName.endsWith(".sql"))
        .flatMap { e =>
          Using.resource(Source.fromInputStream(jar.getInputStream(e), "UTF-8"))(s =>
            pieces(s.getLines().toSeq)
          )
        }
    }

  private def pieces(lines: Seq[String]): Seq[String] =
    lines
      .filterNot(_.trim.startsWith("--"))
      .mkString("\n")
      .split("(?<=[^\\\\]);")
      .map(_.trim)
      .filter(_.nonEmpty)
      .toSeq
}
