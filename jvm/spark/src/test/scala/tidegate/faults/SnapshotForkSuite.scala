package tidegate
package faults

import java.util.concurrent.CountDownLatch

/**
 * A snapshot that is exported in the middle of a batch, and a second query that begins on it while
 * the first one goes on: both have the same rows and watermarks in every batch that follows.
 */
class SnapshotForkSuite extends RestartTest {
  private val Paused = 4L

  for {
    (query, i) <- FaultQuery.all.zipWithIndex
    (store, j) <- query.stores.zipWithIndex
    if i == 0 || j == i % query.stores.size
  } test(s"${query.name}, on ${store.name}")(withConf(store.conf.toSeq: _*) {
    val inputs = FaultInputs.random(i.toLong)
    def frame = inputs.queried(spark, query, EventFiles.stream(_, _))
    val folder = TempFolders.create("fork")
    val (path, checkpoint) = (folder.resolve("snapshot"), folder.resolve("checkpoint"))

    val original = new Run(frame)
    val (isThere, goesOn) = (new CountDownLatch(1), new CountDownLatch(1))
    original.failIn = { batch =>
      if (batch == Paused) {
        isThere.countDown()
        goesOn.await()
      }
      false
    }
    original.start()
    isThere.await()
    val exported = exportSnapshot(original.query, path.toString)
    goesOn.countDown()
    assert(exported.batchId === Paused - 1)
    assert(exported === verifySnapshot(path.toString))
    original.settle().stop()

    startSnapshot(path.toString, checkpoint.toString)
    val fork = new Run(frame, checkpoint).start().settle().stop()
    assert(fork.query.id !== original.query.id)
    val after = original.byBatch.filter { case (id, _) => id >= Paused }
    assert(fork.byBatch === after)
    assert(after.values.flatten.nonEmpty)
    assert(fork.log.filter(_.id >= Paused) === original.log.filter(_.id >= Paused))
  })
}
