package tidegate
package own.windows

import java.util.concurrent.atomic.AtomicLong
import java.util.concurrent.{CountDownLatch, TimeUnit}

import org.apache.spark.TaskKilled
import org.apache.spark.scheduler.{SparkListener, SparkListenerTaskEnd}
import org.apache.spark.sql.functions._

/** A task can be killed while it emits the windows of one key, of which there may be millions. */
class KilledTaskSuite extends KeyedStreamTest {

  test("a query is stopped in the middle of 86 million windows of one row") {
    val killed = new CountDownLatch(1)
    val listener = new SparkListener {
      override def onTaskEnd(end: SparkListenerTaskEnd): Unit =
        if (end.reason.isInstanceOf[TaskKilled]) killed.countDown()
    }
    spark.sparkContext.addSparkListener(listener)
    val in = events()
    in.toDF().withKeyedWatermark("time", "1 second").createOrReplaceTempView("o")
    val seen = udf { (_: Long) =>
      KilledTaskSuite.windows.incrementAndGet()
      KilledTaskSuite.begun.countDown()
      false
    }
    val run = new Run(
      spark
        .sql("""SELECT window_start, count(*)
          FROM HOP(TABLE(o), DESCRIPTOR(time), 1 day, 1 millisecond) GROUP BY window_start""")
        .where(seen(unix_millis(col("window_start"))))
    ).start()
    in.addData(event("a", 100000))
    in.addData(event("a", 900000))
    assert(KilledTaskSuite.begun.await(2, TimeUnit.MINUTES))
    run.stop()
    assert(killed.await(2, TimeUnit.MINUTES))
    spark.sparkContext.removeSparkListener(listener)
    assert(KilledTaskSuite.windows.get < 86400000)
  }
}

object KilledTaskSuite {
  private val windows = new AtomicLong
  private val begun = new CountDownLatch(1)
}
