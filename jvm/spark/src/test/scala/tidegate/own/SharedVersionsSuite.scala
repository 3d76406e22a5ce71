package tidegate
package own

import java.nio.file.Path
import java.util.UUID

import scala.collection.mutable
import scala.util.Random

import org.apache.spark.SparkException
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.classic
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.functions.{col, window}
import org.apache.spark.sql.tidegate._
import org.apache.spark.sql.types._

/**
 * A state in memory whose versions share what has not changed, in Spark's files.
 * `-Dtidegate.cases=100` tries more of them.
 */
class SharedVersionsSuite extends RestartTest {

  override protected def atNight: Seq[String] = Seq("the memory of two versions")

  import SharedVersionsSuite._

  private val cases = sys.props.get("tidegate.cases").fold(3)(_.toInt)
  private lazy val classicSpark = spark.asInstanceOf[classic.SparkSession]

  /** A partition of a state; the runs of its query need not have the same kind of store. */
  private final class Partition(folder: Path) {
    private var runId = UUID.randomUUID

    def restart(): Unit = runId = UUID.randomUUID

    /** Changes the state of a version, and may do at once what Spark does every minute. */
    def run(
        version: Long,
        changes: Seq[(Int, Option[Long])],
        shares: Boolean = true,
        maintains: Boolean = false,
        fails: Boolean = false
    ): Result = {
      val info =
        new StatefulOperatorStateInfo(folder.toString, runId, 0L, version, 1, None, None)
      OperatorState
        .withStore(
          spark.sparkContext.parallelize(changes, 1),
          info,
          Schema,
          Schema,
          NoPrefixKeyStateEncoderSpec(Schema),
          classicSpark,
          shares
        ) { (store, rows) =>
          val family = StateStore.DEFAULT_COL_FAMILY_NAME
          rows.foreach {
            case (k, Some(v)) => store.put(row(k.toLong), row(v), family)
            case (k, None)    => store.remove(row(k.toLong), family)
          }
          val held = store.iterator(family)
          val all = held.map(p => p.key.getLong(0).toInt -> p.value.getLong(0)).toMap
          held.close()
          if (fails) throw new IllegalStateException("a task that is made to fail")
          store.commit()
          val provider = providerOf(store)
          if (maintains) provider.doMaintenance()
          Iterator(Result(all, provider.getClass.getName, store.metrics.memoryUsedBytes))
        }
        .collect()
        .head
    }
  }

  for (kept <- Seq(0, 1, 2); seed <- 1 to cases)
    test(
      s"seed $seed: batches that run again, failed tasks, restarts, Spark's store, $kept versions kept"
    ) {
      val random = new Random(seed)
      withConf(
        "spark.sql.streaming.maxBatchesToRetainInMemory" -> kept.toString,
        // Whole states are written after so many changes.
        "spark.sql.streaming.stateStore.minDeltasForSnapshot" -> "3"
      ) {
        val partition = new Partition(newCheckpoint())
        var (states, version) = (Vector(Map.empty[Int, Long]), 0)
        val changesOf = mutable.Map.empty[Int, Seq[(Int, Option[Long])]]
        for (_ <- 1 to 25) {
          // A batch whose commit was not noted runs again.
          if (version > 0 && random.nextInt(4) == 0) version -= 1
          if (random.nextInt(5) == 0) partition.restart()
          val changes = changesOf.getOrElseUpdate(
            version,
            Seq.fill(random.nextInt(6)) {
              random.nextInt(9) -> Option.when(random.nextInt(3) > 0)(random.nextLong())
            }
          )
          val expected = changes.foldLeft(states(version)) {
            case (state, (k, Some(v))) => state + (k -> v)
            case (state, (k, None))    => state - k
          }
          val (shares, maintains) = (random.nextBoolean(), random.nextInt(3) == 0)
          if (random.nextInt(3) == 0) {
            val others = Seq(random.nextInt(9) -> Some(1L), random.nextInt(9) -> None)
            val _ = intercept[SparkException] {
              partition.run(version.toLong, others, shares, fails = true)
            }
          }
          val result = partition.run(version.toLong, changes, shares, maintains)
          assert(result.state === expected)
          states = states.take(version + 1) :+ expected
          version += 1
        }
      }
    }

  test("the store is ours where Spark's would be in memory, and shares versions") {
    val ours = classOf[SharingStateStoreProvider].getName
    val sparks = StateStoreKind.hdfs.conf(ProviderClass)
    def provider(shares: Boolean = true): String =
      new Partition(newCheckpoint()).run(0, Nil, shares).provider
    on("HDFSBacked") {
      assert(provider() === ours)
      assert(provider(shares = false) === sparks)
    }
    on("RocksDB")(assert(provider() === StateStoreKind.rocks.conf(ProviderClass)))
    withConf(ProviderClass -> classOf[OtherProvider].getName) {
      assert(provider() === classOf[OtherProvider].getName)
    }
    Seq(
      "spark.sql.streaming.stateStore.rowChecksum.enabled" -> "true",
      "spark.sql.streaming.stateStore.unloadOnCommit" -> "true",
      "spark.sql.streaming.maxBatchesToRetainInMemory" -> "0"
    ).foreach(setting => withConf(setting)(assert(provider() === sparks)))
  }

  test("the memory of two versions is little more than that of one") {
    val many = (0 until 10000).map(k => k -> Option(k.toLong))
    def used(shares: Boolean): Seq[Long] = {
      val partition = new Partition(newCheckpoint())
      Seq(many, many.take(10), many.take(10)).zipWithIndex.map { case (changes, version) =>
        partition.run(version.toLong, changes, shares).memory
      }
    }
    val shared = used(shares = true)
    assert(shared(1) - shared(0) < shared(0) / 500)
    assert(shared(2) - shared(1) < shared(0) / 500)
    val copied = used(shares = false)
    assert(copied(2) > shared(2))
    // Spark 4.0 and 4.1 measure less of Spark's own map.
    assert(shared(0) < (if (spark.version < "4.2") 0.85 else 0.8) * copied(0))
    // After a restart Spark has a map until the next version but one.
    val partition = new Partition(newCheckpoint())
    partition.run(0, many)
    partition.restart()
    val (read, next) = (partition.run(1, Nil).memory, partition.run(2, Nil).memory)
    assert(read < 2 * copied(0))
    assert(next < 1.1 * shared(0))
  }

  test("a query takes its state along when the setting changes") {
    val folder = files(
      Seq(event("a", 1, 1), event("a", 2, 2)),
      Seq(event("a", 3, 1)),
      Seq(event("a", 4, 2)),
      Seq(event("a", 5, 3)),
      Seq(event("a", 40, 9))
    )
    def counts = stream(folder)
      .withKeyedWatermark("time", "1 second", substream = Seq("sub"))
      .groupBy(window(col("time"), "10 seconds"))
      .count()
    val undisturbed = new Run(counts).start().settle()
    undisturbed.stop()
    val changing = new Run(counts)
    for ((batch, shares) <- Seq(0L -> "true", 2L -> "false", 4L -> "true")) {
      withConf("spark.tidegate.state.sharesVersions" -> shares) {
        changing.failIn = _ > batch
        changing.start().awaitEnd()
      }
    }
    changing.failIn = _ => false
    changing.start().settle().stop()
    assert(compared(changing) === compared(undisturbed))
  }
}

object SharedVersionsSuite {
  private val ProviderClass = "spark.sql.streaming.stateStore.providerClass"
  private val Schema = new StructType().add("n", LongType)

  private final case class Result(state: Map[Int, Long], provider: String, memory: Long)

  private def row(n: Long): UnsafeRow =
    UnsafeProjection.create(Schema).apply(InternalRow(n)).copy()

  /** Spark's class of a store lies in that of its provider. */
  private def providerOf(store: StateStore): StateStoreProvider = {
    val outer = store.getClass.getDeclaredFields.find(_.getName == "$outer").get
    outer.setAccessible(true)
    outer.get(store).asInstanceOf[StateStoreProvider]
  }
}

/** The provider of somebody else, who has made it from Spark's. */
class OtherProvider extends SharingVersions
