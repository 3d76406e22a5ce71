package tidegate.sql.parser

import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import tidegate.StateStoreKind

/**
 * The SQL of Spark's own tests, which does not know of us, means the same with our parser: every
 * node and expression, its position, and every error.
 */
class SparkCorpusSuite extends ParserTest {

  override protected def atNight: Seq[String] = Seq(
    "nor where Spark looks",
    "changes nothing in statements"
  )

  private val own = new EventTimeSqlParser

  // The one literal that has another value each time.
  private val all = SparkCorpus.statements.filterNot(_.contains("timestamp'now'"))

  /** With `-Dtidegate.stores=all` each statement, and otherwise each fourth. */
  private val step = if (StateStoreKind.areAll) 1 else 4
  private val statements = all.indices.by(step).map(all)
  private lazy val parsed = statements.map(sql => sql -> Try(spark.parsePlan(sql)))
  private lazy val outcomes = parsed.map { case (sql, plan) => sql -> outcome(plan.get) }
  private lazy val right = parsed.collect { case (sql, Success(_)) => sql }

  private def outcome(parse: => LogicalPlan): String = Try(parse) match {
    case Success(plan)  => TreeText.withOrigins(plan)
    case Failure(error) => s"${error.getClass.getName}: ${error.getMessage}"
  }

  test("the corpus is there") {
    info(s"${statements.size} statements, ${statements.size - right.size} of them are errors")
    assert(all.size > 13000)
    assert(right.size > 13000 / step)
  }

  test("statements of others are the same") {
    outcomes.foreach { case (sql, sparks) =>
      assert(outcome(parser.parsePlan(sql)) === sparks, sql)
    }
  }

  test("our own parser changes nothing in statements without a call") {
    val different = outcomes.collect {
      case (sql, sparks) if outcome(own.parsePlan(sql)) != sparks => sql
    }
    // It reads to the end first, so that it sees a comment without an end before other errors.
    val unclosed =
      different.filter(sql => outcome(own.parsePlan(sql)).contains("UNCLOSED_BRACKETED_COMMENT"))
    assert(different.diff(unclosed) === Nil)
    assert(unclosed.size < 5)
  }

  test("nor where Spark looks for parameters") {
    // Spark leaves the statement out of errors that it finds while it looks for parameters.
    right.foreach { sql =>
      def of(parser: ParserInterface) = outcome(Parameters.parse(parser, sql))
      val sparks = of(spark)
      assert(of(parser) === sparks, sql)
      assert(of(own) === sparks, sql)
    }
  }
}
