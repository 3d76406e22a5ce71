package tidegate

import java.net.URL
import java.util.Collections.emptyEnumeration
import java.util.{Enumeration, ServiceLoader}

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.spark.sql.catalyst.parser.{CatalystSqlParser, ParseException, ParserInterface}
import org.apache.spark.sql.connector.catalog.functions.UnboundFunction
import org.apache.spark.sql.connector.catalog.{FunctionCatalog, Identifier}
import org.apache.spark.sql.tidegate.{DelegatingParser, OtherSessions}
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import org.apache.spark.sql.{
  AnalysisException,
  SparkSession,
  SparkSessionExtensions,
  SparkSessionExtensionsProvider
}
import tidegate.sql.RemindOfExtension
import tidegate.sql.parser.RemindingSqlParser

/** What a session answers that has the jar and not the extension; and that nothing else changes. */
class ExtensionReminderSuite extends KeyedStreamTest {
  private val jar = getClass.getClassLoader

  /** The same classes, without the names of those that Spark is to load by itself. */
  private val noProviders = new ClassLoader(jar) {
    override def getResources(name: String): Enumeration[URL] =
      if (name.startsWith("META-INF/services/")) emptyEnumeration() else super.getResources(name)
  }

  private def started(providers: ClassLoader, extensions: String*): SparkSession = {
    spark
    val session = OtherSessions.start(extensions, providers)
    session.sql("CREATE TEMPORARY VIEW t AS SELECT 1 AS id, timestamp '2026-01-01 12:00:00' AS ts")
    session
  }

  private def plain() = started(noProviders)
  private def reminded() = started(jar)

  /** The rows of a statement, or all that its error says. */
  private def answer(session: SparkSession, sql: String): String =
    session.sql(sql).collect().mkString(",")

  private def tried(session: SparkSession, sql: String): String =
    Try(answer(session, sql)).recover { case e => e.toString.replaceAll("#\\d+", "#") }.get

  private def assertReminds(session: SparkSession, sql: String, at: String): Unit = {
    val e = intercept[AnalysisException](answer(session, sql))
    assert(e.getCondition == "TIDEGATE_EXTENSION_NOT_INSTALLED", sql)
    assert(e.getQueryContext.map(_.fragment()).toSeq == Seq(at), sql)
  }

  test("Spark finds the class in the jar") {
    val found = ServiceLoader.load(classOf[SparkSessionExtensionsProvider], jar).asScala
    assert(found.exists(_.isInstanceOf[ExtensionReminder]))
  }

  test("a call in any place and spelling is answered, at the call") {
    val session = reminded()
    val calls = Seq(
      "TUMBLE(TABLE(t), DESCRIPTOR(ts), INTERVAL '5' MINUTES)",
      "hop(TABLE(t), DESCRIPTOR(ts), INTERVAL '1' MINUTE, INTERVAL '5' MINUTES)",
      "SESSION(TABLE(t), DESCRIPTOR(ts), INTERVAL '5' MINUTES)",
      "TUMBLE(data => TABLE(t), timecol => DESCRIPTOR(ts), size => INTERVAL '5' MINUTES)",
      // Spark's grammar refuses the rest.
      "TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '5' MINUTES)",
      "TUMBLE(TABLE(t), DESCRIPTOR(ts), 5 minutes)"
    )
    for (call <- calls) {
      assertReminds(session, s"SELECT * FROM $call", call)
      assertReminds(session, s"WITH w AS (SELECT * FROM $call) SELECT * FROM w", call)
      assertReminds(session, s"SELECT * FROM t WHERE id IN (SELECT id FROM $call)", call)
      assertReminds(session, s"CREATE TEMPORARY VIEW v AS SELECT * FROM $call", call)
    }
    assertReminds(session, "SELECT * FROM t WHERE is_late(ts)", "is_late(ts)")
    assertReminds(session, "SELECT current_watermark('ts')", "current_watermark('ts')")
    assertReminds(session, "SELECT * FROM tidegate_watermarks()", "tidegate_watermarks()")
    val call = intercept[AnalysisException](session.table("t").selectExpr("is_late(ts)"))
    assert(call.getCondition == "TIDEGATE_EXTENSION_NOT_INSTALLED")
  }

  test("other statements have the rows and the errors of Spark alone") {
    val (session, alone) = (reminded(), plain())
    val statements = Seq(
      "SELECT 1",
      "SELECT id, count(*) FROM t GROUP BY id",
      "SELECT tumble, hop FROM (SELECT 1 AS tumble, 2 AS hop)",
      "SELECT 'TUMBLE(TABLE t, DESCRIPTOR(ts), 5 minutes)'",
      "SELECT * FROM t WHERE >",
      "SELECT * FROM nothing",
      "SELECT nothing(id) FROM t",
      "SELECT tumble(id), descriptor(id) FROM t",
      "SELECT * FROM tumble(TABLE(t), 1)",
      "SELECT * FROM tumble(TABLE t, 1)",
      "SELECT * FROM nothing(TABLE(t), DESCRIPTOR(ts))",
      "SELECT * FROM nothing(TABLE t, DESCRIPTOR(ts))",
      "SELECT * FROM s.tumble(TABLE(t), DESCRIPTOR(ts))",
      "SELECT s.is_late(ts) FROM t",
      "SELECT 'TUMBLE(TABLE t, DESCRIPTOR(ts), 5 minutes)' FROM t WHERE >",
      "-- TUMBLE(TABLE t, DESCRIPTOR(ts), 5 minutes)\nSELECT * FROM t WHERE >",
      "BEGIN SELECT 1; END",
      ""
    )
    for (sql <- statements) assert(tried(session, sql) == tried(alone, sql), sql)
  }

  test("a user's own functions are called, and Spark's errors of them are unchanged") {
    val (session, alone) = (reminded(), plain())
    for (s <- Seq(session, alone)) {
      s.udf.register("descriptor", (x: Int) => x)
      s.sql("CREATE TEMPORARY FUNCTION tumble(x INT) RETURNS TABLE(y INT) RETURN SELECT x")
      s.sql("CREATE TEMPORARY FUNCTION is_late(x TIMESTAMP) RETURNS BOOLEAN RETURN true")
      s.udf.register("current_watermark", (name: String) => name)
    }
    val statements = Seq(
      "SELECT * FROM TUMBLE(DESCRIPTOR(7))",
      "SELECT is_late(ts), current_watermark('ts') FROM t",
      "SELECT * FROM TUMBLE(TABLE(t), DESCRIPTOR(ts))",
      "SELECT * FROM TUMBLE(TABLE t, DESCRIPTOR(ts))",
      "SELECT is_late(id, id) FROM t"
    )
    for (sql <- statements) assert(tried(session, sql) == tried(alone, sql), sql)
    assert(tried(session, statements.head) == "[7]")
    assert(tried(session, statements(1)) == "[true,ts]")

    val call = "HOP(TABLE(t), DESCRIPTOR(ts), INTERVAL '1' MINUTE, INTERVAL '5' MINUTES)"
    assertReminds(session, s"SELECT * FROM $call", call)
  }

  test("a function of the current catalog is not taken for ours") {
    val (session, alone) = (reminded(), plain())
    for (s <- Seq(session, alone)) {
      s.conf.set("spark.sql.catalog.other", classOf[OneFunctionCatalog].getName)
      s.sql("USE other")
    }
    // Spark finds the function, and refuses what the catalog gives for it.
    val known = "SELECT is_late(timestamp '2026-01-01 12:00:00')"
    assert(tried(alone, known).contains("found by the catalog"))
    assert(tried(session, known) == tried(alone, known))
    assertReminds(session, "SELECT current_watermark('ts')", "current_watermark('ts')")
  }

  test("a catalog that fails leaves its error to Spark") {
    val (session, alone) = (reminded(), plain())
    for (s <- Seq(session, alone)) {
      s.conf.set("spark.sql.catalog.broken", classOf[BrokenCatalog].getName)
      s.sql("USE broken")
    }
    val call = "SELECT is_late(timestamp '2026-01-01 12:00:00')"
    assert(tried(alone, call).contains("the catalog is out of reach"))
    assert(tried(session, call) == tried(alone, call))
    assert(tried(session, "SELECT 1") == "[1]")
  }

  test("a reminder that fails, or that another build of Spark cannot load, is left out") {
    assert(RemindOfExtension.orElse("usual")("reminder") == "reminder")
    assert(RemindOfExtension.orElse("usual")(throw new IllegalStateException) == "usual")
    assert(RemindOfExtension.orElse("usual")(throw new NoSuchMethodError) == "usual")
    assert(RemindingSqlParser.missing(classOf[ParserInterface]) == Nil)
    assert(RemindingSqlParser.missing(classOf[LargerParser]) == Seq("parseMore"))
  }

  test("a parser that another extension made stays the outermost, as that extension expects") {
    val theirs = new GreetingParser(CatalystSqlParser)
    assert(RemindingSqlParser.around(spark, theirs) eq theirs)
  }

  test("sessions with the extension, once or twice, or on every channel, have it and no reminder") {
    val one = classOf[TidegateExtensions].getName
    for (extensions <- Seq(Seq(one), Seq(one, one))) {
      val session = started(jar, extensions: _*)
      val call = "TUMBLE(TABLE t, DESCRIPTOR(ts), 5 minutes)"
      assert(answer(session, s"SELECT id FROM $call") == "[1]")
      assert(answer(session, "SELECT is_late(ts) FROM t") == "[false]")
      val refused = intercept[AnalysisException](answer(session, s"SELECT id FROM $call WHERE >"))
      assert(refused.getCondition == "PARSE_SYNTAX_ERROR")
    }
  }

  test("an extension with a parser of its own reads its statements, and ours are answered") {
    val session = started(jar, classOf[GreetingExtension].getName)
    assert(tried(session, "GREET").contains("hello"))
    val call = "TUMBLE(TABLE t, DESCRIPTOR(ts), 5 minutes)"
    assertReminds(session, s"SELECT * FROM $call", call)
    val wrong = "SELECT * FROM t WHERE >"
    assert(tried(session, wrong) == tried(plain(), wrong))
  }

  test("a session that is made from another one is answered as that one") {
    val call = "TUMBLE(TABLE(t), DESCRIPTOR(ts), INTERVAL '5' MINUTES)"
    assertReminds(reminded().newSession(), s"SELECT * FROM $call", call)
  }
}

/** Spark's interface in a build that has one more method. */
trait LargerParser extends ParserInterface {
  def parseMore(sqlText: String): String = sqlText
}

/** A catalog with a function `is_late`. */
class OneFunctionCatalog extends FunctionCatalog {
  private var called: String = _
  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = called = name
  override def name(): String = called
  override def listFunctions(namespace: Array[String]): Array[Identifier] = Array.empty
  override def functionExists(ident: Identifier): Boolean = ident.name == "is_late"
  override def loadFunction(ident: Identifier): UnboundFunction =
    throw new IllegalStateException("found by the catalog")
}

/** A catalog that cannot say which functions it has. */
class BrokenCatalog extends OneFunctionCatalog {
  override def functionExists(ident: Identifier): Boolean =
    throw new IllegalStateException("the catalog is out of reach")
}

/** An extension that knows one more statement. */
class GreetingExtension extends (SparkSessionExtensions => Unit) {
  override def apply(extensions: SparkSessionExtensions): Unit =
    extensions.injectParser((_, delegate) => new GreetingParser(delegate))
}

/** Asks `delegate` first. */
class GreetingParser(override protected val delegate: ParserInterface) extends DelegatingParser {
  override protected def parse[T](sqlText: String)(how: ParserInterface => T): T =
    try how(delegate)
    catch {
      case _: ParseException if sqlText == "GREET" => throw new IllegalStateException("hello")
    }
}
