package tidegate
package sql.parser

import java.lang.reflect.{InvocationHandler, Method, Proxy}

import org.apache.spark.sql.catalyst.parser.ParserInterface

/** What goes to the parser that the session had before: maybe that of another extension. */
class DelegateSuite extends ParserTest {
  private val withCall = "SELECT * FROM tumble(TABLE t, DESCRIPTOR(ts), 5 seconds)"

  /** The methods of the delegate that `use` calls. */
  private def delegated(use: ParserInterface => Any): Seq[String] = {
    var called = Seq.empty[String]
    val recorder: InvocationHandler = (_: Any, method: Method, arguments: Array[AnyRef]) => {
      called :+= method.getName
      method.invoke(spark, arguments: _*)
    }
    val delegate = Proxy.newProxyInstance(
      classOf[ParserInterface].getClassLoader,
      Array(classOf[ParserInterface]),
      recorder
    )
    use(new TidegateSqlParser(delegate.asInstanceOf[ParserInterface]))
    called
  }

  test("every method is delegated") {
    assert(
      delegated { p =>
        p.parsePlan("SELECT 1")
        Parameters.parse(p, "SELECT descriptor(1)")
        p.parseQuery("SELECT 'FROM tumble(TABLE t, DESCRIPTOR(ts))'")
        p.parseExpression("descriptor(a)")
        p.parseTableIdentifier("descriptor")
        p.parseFunctionIdentifier("tumble")
        p.parseMultipartIdentifier("a.descriptor")
        p.parseRoutineParam("a INT")
        p.parseDataType("INT")
        p.parseTableSchema("descriptor INT")
      }.toSet === classOf[ParserInterface].getMethods
        .map(_.getName)
        .filterNot(_.contains("$"))
        .toSet
    )
  }

  test("functions like ours behind a comma, but not in a FROM clause, are the user's") {
    val user = "tumble(a, descriptor(b))"
    Seq(
      s"SELECT a, $user",
      s"SELECT * FROM t ORDER BY a, $user",
      s"SELECT count(*) FROM t GROUP BY a, $user",
      s"FROM t SELECT a, $user",
      s"FROM t |> EXTEND a, $user",
      s"SELECT * FROM f(a, $user)",
      s"BEGIN SELECT * FROM t; VALUES 1, $user; END"
    ).filter(SparkFeatures.parses)
      .foreach(sql => assert(delegated(_.parsePlan(sql)) === Seq("parsePlan"), sql))
  }

  test("a statement with a call is not") {
    assert(
      delegated { p =>
        p.parsePlan(withCall)
        Parameters.parse(p, withCall)
        p.parseQuery(withCall)
        p.parseExpression(s"EXISTS ($withCall)")
      } === Nil
    )
  }
}
