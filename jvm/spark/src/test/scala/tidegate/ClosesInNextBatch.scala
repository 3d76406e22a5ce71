package tidegate

import org.scalatest.{Outcome, TestSuite, TestSuiteMixin}

/**
 * For suites that say what each batch does where batches close in the next one, and a batch runs
 * whenever a watermark moves, as in Spark.
 */
trait ClosesInNextBatch extends TestSuiteMixin { this: KeyedStreamTest with TestSuite =>

  abstract override protected def withFixture(test: NoArgTest): Outcome =
    withConf(
      "spark.tidegate.closing" -> "nextBatch",
      "spark.tidegate.noDataBatches.onlyWhenDue" -> "false"
    )(super.withFixture(test))
}
