package tidegate

import java.util.concurrent.{CountDownLatch, TimeoutException}

import scala.util.Try

import org.apache.spark.sql.streaming.StreamingQueryListener.{
  QueryProgressEvent,
  QueryStartedEvent,
  QueryTerminatedEvent
}
import org.apache.spark.sql.streaming.{
  StreamingQuery,
  StreamingQueryException,
  StreamingQueryListener
}
import org.apache.spark.sql.{AnalysisException, DataFrame}
import org.scalatest.concurrent.TimeLimits
import org.scalatest.time.SpanSugar._

/** The watermarks of a query that has ended before Spark had planned it. */
class QueryWithoutPlanSuite extends KeyedStreamTest with TimeLimits {

  private def keyed: DataFrame =
    spark.readStream
      .format(classOf[SlowStartSource].getName)
      .load()
      .withKeyedWatermark("time", "1 second")

  private def start(onStart: () => Unit): StreamingQuery = {
    SlowStartSource.onStart = onStart
    keyed.writeStream.format("noop").queryName("slow").start()
  }

  private def refused(query: StreamingQuery): AnalysisException =
    // Less than the time for which a query that starts is waited for.
    failAfter(40.seconds)(intercept[AnalysisException](watermarks(query)))

  private def assertSentence(error: AnalysisException)(reason: String): Unit = {
    assert(error.getCondition === "TIDEGATE_QUERY_WITHOUT_PLAN")
    assert(
      error.getMessage === "[TIDEGATE_QUERY_WITHOUT_PLAN] The query `slow` has no watermarks: " +
        s"$reason. SQLSTATE: 55000"
    )
  }

  /** Waits for a latch whatever interrupts the thread. */
  private def awaitDeaf(latch: CountDownLatch): Unit =
    while (latch.getCount > 0)
      try latch.await()
      catch { case _: InterruptedException => () }

  test("a query that has failed") {
    val query = start(() => ())
    intercept[StreamingQueryException](query.awaitTermination())
    val error = refused(query)
    assertSentence(error)("it failed before Spark had planned it. Its exception() tells why")
    assert(error.getCause.getMessage.contains("the source is made to fail"))
  }

  test("a query that was stopped") {
    val (isStarting, never) = (new CountDownLatch(1), new CountDownLatch(1))
    val query = start { () =>
      isStarting.countDown()
      never.await()
    }
    isStarting.await()
    query.stop()
    assertSentence(refused(query))("it was stopped before Spark had planned it. Start it again")
  }

  test("a query that is being stopped, and whose source does not listen") {
    val (isStarting, end) = (new CountDownLatch(1), new CountDownLatch(1))
    withConf("spark.sql.streaming.stopTimeout" -> "1ms") {
      val query = start { () =>
        isStarting.countDown()
        awaitDeaf(end)
      }
      try {
        isStarting.await()
        intercept[TimeoutException](query.stop())
        assertSentence(refused(query))("it was stopped before Spark had planned it. Start it again")
      } finally {
        end.countDown()
        Try(query.awaitTermination())
      }
    }
  }

  test("a query whose start is being told to a listener") {
    var error = Option.empty[Throwable]
    val listener = new StreamingQueryListener {
      override def onQueryStarted(event: QueryStartedEvent): Unit =
        error = Try(watermarks(spark.streams.get(event.id))).failed.toOption
      override def onQueryProgress(event: QueryProgressEvent): Unit = ()
      override def onQueryTerminated(event: QueryTerminatedEvent): Unit = ()
    }
    spark.streams.addListener(listener)
    try
      intercept[StreamingQueryException](start(() => ()).awaitTermination())
    finally spark.streams.removeListener(listener)
    error match {
      case Some(e: AnalysisException) =>
        assertSentence(e)("Spark has not planned it yet. Ask again later")
      case other => fail(s"$other")
    }
  }
}
