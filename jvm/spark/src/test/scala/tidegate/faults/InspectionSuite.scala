package tidegate
package faults

import java.time.Instant

/** What an inspection says of each kind of query, against the progress of the query itself. */
class InspectionSuite extends RestartTest {

  for ((query, i) <- FaultQuery.all.zipWithIndex) {
    val store = query.stores((i + 1) % query.stores.size)
    test(s"${query.name}, on ${store.name}")(withConf(store.conf.toSeq: _*) {
      val inputs = FaultInputs.random(i.toLong)
      val run = new Run(inputs.queried(spark, query))
      // The state is the fullest before the last file.
      run.failIn = _ == 8
      run.start().awaitEnd()
      val progress = run.query.recentProgress.findLast(_.batchId == 7).get
      val clock = run.log.find(_.id == 7).get
      val found = inspectSnapshot(run.checkpoint.toString)
      assert(found.batchId === 7)
      assert(found.begun === Some(8))
      assert(found.batchTime === Instant.parse(progress.timestamp))
      assert(found.query === run.query.id.toString)
      def ofKind(kind: String) = found.stages.filter(_.kind == kind)
      val rows = progress.stateOperators.map(_.numRowsTotal).toSeq
      assert(ofKind("operator").flatMap(_.rows).sum === rows.sum, ofKind("operator"))
      assert(ofKind("operator").size === rows.size)
      assert(ofKind("operator").forall(_.bytes.exists(_ > 0)))
      assert(ofKind("operator").forall(_.keys.exists(_.nonEmpty)))
      val names = clock.operators.keySet.map(_.takeWhile(_ != '.'))
      assert(ofKind("operator").flatMap(_.stage.split(" or ")).toSet === names)
      assert(ofKind("source").map(_.detail) === clock.dataOffsets.map(n => s"""{"logOffset":$n}"""))
      assert(ofKind("watermark").map(_.stage).toSet.subsetOf(Set("left", "right")))
      ofKind("watermark").foreach { w =>
        assert(w.detail.matches("key [01], fixedLag\\(3000 ms\\), by sub STRING"))
        val substreams = ofKind("substream").filter(_.of.contains(w.stage))
        assert(substreams.map(_.stage) === Seq("a", "b", "slow"))
        // A batch comes to later times within itself than its offset has.
        val highest = substreams.flatMap(_.watermark).max
        assert(w.watermark.exists(!_.isAfter(highest)))
      }
      val ofFrames =
        Map("hop by frames" -> "12000 ms by 3000 ms", "tumbling" -> "10000 ms by 10000 ms")
      ofFrames.get(query.name).foreach { shape =>
        assert(ofKind("operator").forall(_.detail.contains(s"; windows of $shape; values ")))
      }
      assert(found.toDF(spark).count() === found.stages.size)
    })
  }
}
