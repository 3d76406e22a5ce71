package tidegate
package own.order

import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.Files

import org.apache.spark.sql.functions.lit
import org.apache.spark.sql.streaming.StreamingQueryException
import org.apache.spark.sql.{DataFrame, Row}
import tidegate.golden.{GoldenFolder, GoldenInput, GoldenQueries}

/**
 * Version 0.1.0 has a row of the state for each row that waits. Its checkpoints go on: the rows
 * move into pages in the first batch that runs.
 */
class EarlierRowsSuite extends OrderTest {
  private val folder = GoldenFolder.all.find(_.name.startsWith("0.1.0.")).get

  /** A query in a copy of the checkpoint in which version 0.1.0 has stopped. */
  private final class Begun(name: String, changed: DataFrame => DataFrame = identity) {
    private val (in, other) = (events(), events())
    private val query = GoldenQueries.all.find(_.name == name).get
    val run = new Run(
      query.query(changed(in.toDF()), other.toDF()),
      folder.unpack(name)
    )
    GoldenInput.before.foreach(step => in.addData(step.left))

    def sendFirst(): Unit = { in.addData(GoldenInput.after.head.left); () }

    /** Sends the rest of the input, and compares the rows that leave with those of 0.1.0. */
    def checkRest(send: (() => Unit) => Unit): Unit = {
      GoldenInput.after.foreach(step => send(() => { in.addData(step.left); () }))
      val expected = folder.expected(name).linesIterator.collect { case Left(row) => row }
      assert(run.rows.map(KeyedStreamTest.text) === expected.toSeq)
      ()
    }
  }

  private val Left = """  (\w\|\d+\|\d+)""".r

  private def onGolden(title: String)(body: String => Unit): Unit = {
    val unshared = StateStoreKind.hdfs.conf + ("spark.tidegate.state.sharesVersions" -> "false")
    Seq(
      ("order", "HDFS-backed", StateStoreKind.hdfs.conf),
      ("order", "Spark's HDFS-backed", unshared),
      ("order-rocksdb", "RocksDB", StateStoreKind.rocks.conf)
    ).foreach { case (name, store, conf) =>
      test(s"$title, on $store state")(withConf(conf.toSeq: _*)(body(name)))
    }
  }

  onGolden("rows that wait move into pages in the first batch") { name =>
    val begun = new Begun(name)
    begun.run.start()
    begun.checkRest { send =>
      send()
      begun.run.settle()
      if (begun.run.rows.size < 10) checkPages(begun.run)
    }
    begun.run.stop()
  }

  /** The file that Spark writes, in which lengths are beside the text. */
  private def schemaOf(run: Run): String =
    Files.readString(run.checkpoint.resolve("state/1000/0/_metadata/schema"), ISO_8859_1)

  /** What the state has, to those who read it while no query runs; and the query starts again. */
  private def checkPages(run: Run): Unit = {
    val waiting = run.stateRows
    run.stop()
    assert(schemaOf(run).contains("\"tidegate.orderFormat\":2"))
    if (SparkFeatures.readsState(spark.conf)) {
      withConf("spark.sql.streaming.stateStore.formatValidation.enabled" -> "false") {
        val reader = spark.read.format("statestore").option("operatorId", 1000L)
        val state = reader.load(run.checkpoint.toString)
        val rows = state.selectExpr("inline(value.rows)")
        assert(rows.columns.toSeq === Seq("sub", "time", "n"))
        assert(rows.count() >= waiting)
        val heads = state.where("length(key.arrival) = 0").select("value.waiting")
        assert(heads.collect().toSeq === Seq(Row(waiting)))
      }
      assert(inspected(run) === Some(waiting))
    }
    run.start()
    ()
  }

  /** How many rows wait, as an inspection of the checkpoint says. */
  private def inspected(run: Run): Option[Long] =
    inspectSnapshot(run.checkpoint.toString).stages.find(_.kind == "operator").flatMap(_.rows)

  onGolden("rows that have not moved yet are counted") { name =>
    assume(SparkFeatures.readsState(spark.conf))
    val begun = new Begun(name)
    val run = begun.run
    val before = inspected(run)
    assert(before.exists(_ > 0))
    begun.sendFirst()
    run.failIn = _ => true
    run.start().awaitEnd()
    assert(schemaOf(run).contains("orderFormat\":2"))
    assert(inspected(run) === before)
  }

  onGolden("a restart before each step") { name =>
    val begun = new Begun(name)
    begun.run.start()
    begun.checkRest { send =>
      begun.run.restart()
      send()
      begun.run.settle()
    }
    begun.run.stop()
  }

  onGolden("each batch fails once") { name =>
    val begun = new Begun(name)
    begun.checkRest { send =>
      send()
      begun.run.failIn = _ => true
      begun.run.start().awaitEnd()
      begun.run.failIn = _ => false
      begun.run.start().settle().stop()
    }
  }

  onGolden("rows that do not fit are refused, and nothing is changed") { name =>
    val begun = new Begun(name, _.withColumn("more", lit(1)))
    val before = schemaOf(begun.run)
    val error = intercept[StreamingQueryException] {
      begun.run.start()
      begun.checkRest { send =>
        send()
        begun.run.settle()
      }
    }
    val causes = Iterator.iterate[Throwable](error)(_.getCause).takeWhile(_ != null)
    assert(causes.exists(_.getMessage.contains("STATE_STORE_VALUE_SCHEMA_NOT_COMPATIBLE")))
    assert(schemaOf(begun.run) === before)
  }
}
