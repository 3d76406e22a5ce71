package tidegate.sparksuites

import java.lang.reflect.Method

import org.apache.spark.sql.streaming.StreamTest
import org.scalatest.Suite
import org.scalatest.time.{Seconds, Span}

/**
 * How long a test waits for what it expects of a stream. A test that is known to differ would wait
 * for two minutes for a number of rows that never comes.
 */
private[sparksuites] final class Patience(suite: Suite) {
  import Patience._

  private val streaming = Some(suite).collect { case s: StreamTest => s -> s.streamingTimeout }

  /** Before each test. */
  def begin(isToFail: Boolean): Unit = for {
    (test, own) <- streaming
    setter <- setters(test)
  } setter.invoke(test, if (isToFail) Short else own)
}

private[sparksuites] object Patience {
  private val Short = Span(5, Seconds)

  /** Of the value in traits: Spark's suites can only override it, and some do. */
  private def setters(suite: StreamTest): Seq[Method] =
    suite.getClass.getMethods.toSeq.filter(_.getName.endsWith("$_setter_$streamingTimeout_$eq"))
}
