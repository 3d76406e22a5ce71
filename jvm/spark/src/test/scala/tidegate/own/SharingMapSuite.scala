package tidegate
package own

import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.execution.streaming.state.{HDFSBackedStateStoreMap, UnsafeRowPair}
import org.apache.spark.sql.tidegate.{SharingMap, StoredRow}
import org.apache.spark.sql.types._
import org.apache.spark.util.SizeEstimator
import org.scalactic.Tolerance._
import org.scalatest.funsuite.AnyFunSuite

/** Versions of a state in memory, against plain maps. `-Dtidegate.cases=100` tries more of them. */
class SharingMapSuite extends AnyFunSuite with AtNight {
  import SharingMapSuite._

  override protected def atNight: Seq[String] = Seq("the size of")

  private val cases = sys.props.get("tidegate.cases").fold(5)(_.toInt)

  for {
    seed <- 1 to cases
    prefixColumns <- Seq(0, 1)
  } test(s"seed $seed, $prefixColumns columns of prefix: versions are as plain maps") {
    val random = new Random(seed)
    var versions = Vector(Version(SharingMap.empty(shape(prefixColumns)), Map.empty))
    for (_ <- 1 to 30) {
      // Of any version: a batch may run again.
      val from = versions(random.nextInt(versions.size))
      val changes = random.nextInt(20)
      versions :+= (1 to changes).foldLeft(from.copy(map = from.map.next)) { (version, _) =>
        changed(version, (random.nextInt(4), random.nextInt(8)), random)
      }
    }
    versions.foreach { v =>
      assert(contents(v.map) === v.model)
      assert(v.map.size() === v.model.size)
      for (a <- 0 until 4; b <- 0 until 8)
        assert(Option(v.map.get(key(a, b))).map(_.getLong(0)) === v.model.get((a, b)))
      if (prefixColumns > 0)
        for (a <- 0 to 4)
          assert(contents(v.map.prefixScan(prefix(a))) === v.model.filter(_._1._1 == a))
    }
  }

  private def changed(version: Version, at: (Int, Int), random: Random): Version = {
    val (map, model) = (version.map, version.model)
    val before = if (random.nextInt(3) == 0) {
      val removed = map.remove(key(at._1, at._2))
      (removed, model - at)
    } else {
      val n = random.nextLong()
      (map.put(key(at._1, at._2), StoredRow.of(value(n))), model + (at -> n))
    }
    assert(Option(before._1).map(StoredRow.row(_).getLong(0)) === model.get(at))
    version.copy(model = before._2)
  }

  test("an iterator shows the rows as they were when it was made") {
    val map = SharingMap.empty(shape(0))
    for (b <- 0 until 100) map.put(key(1, b), StoredRow.of(value(b.toLong)))
    val all = map.iterator()
    for (b <- 0 until 100) map.remove(key(1, b))
    assert(all.map(_.value.getLong(0)).sum === 4950)
    assert(map.size() === 0)
    assert(map.estimatedSize === 0)
    // What was put and removed again is not held.
    assert(map.ownBytes === 0)
  }

  test("a map of Spark's is taken over whole, and back") {
    val spark = SparkMaps.create(KeySchema)
    for (n <- 0 until 1000) spark.put(key(n % 10, n), StoredRow.of(value(n.toLong)))
    val map = SharingMap.of(spark.iterator(), shape(0))
    assert(contents(map) === contents(spark))
    val back = SparkMaps.create(KeySchema)
    back.putAll(map)
    assert(contents(back) === contents(spark))
  }

  for (rows <- Seq(5000, 50000)) test(s"the size of $rows rows is that of the objects in memory") {
    val map = SharingMap.empty(shape(0))
    for (n <- 0 until rows) map.put(key(n, n), StoredRow.of(value(n.toLong)))
    val objects = SizeEstimator.estimate(SharingMapSuite.rows(map))
    assert(map.estimatedSize.toDouble / objects === 1.0 +- 0.15)
    assert(map.ownBytes === map.estimatedSize)
    // What was put again holds nothing of what was there before.
    for (n <- 0 until rows) map.put(key(n, n), StoredRow.of(value(1L)))
    assert(SizeEstimator.estimate(SharingMapSuite.rows(map)) === objects)
    // A version that changes a hundredth costs a hundredth.
    val next = map.next
    for (n <- 0 until rows / 100) next.put(key(n, n), StoredRow.of(value(-n.toLong)))
    assert(next.estimatedSize === map.estimatedSize)
    assert(next.ownBytes === map.estimatedSize / 100)
    assert(SizeEstimator.estimate(next) === next.estimatedSize)
  }
}

object SharingMapSuite {

  /** A version, and what must be in it. */
  private final case class Version(map: SharingMap, model: Map[(Int, Int), Long])

  private val KeySchema = new StructType().add("a", IntegerType).add("b", IntegerType)

  private def shape(prefixColumns: Int) = SharingMap.Shape(2, 1, prefixColumns)

  private def row(types: DataType*)(values: Any*): UnsafeRow =
    UnsafeProjection.create(types.toArray).apply(InternalRow(values: _*)).copy()

  private def key(a: Int, b: Int): UnsafeRow = row(IntegerType, IntegerType)(a, b)

  private def value(n: Long): UnsafeRow = row(LongType)(n)

  private def prefix(a: Int): UnsafeRow = row(IntegerType)(a)

  private def contents(map: HDFSBackedStateStoreMap): Map[(Int, Int), Long] =
    contents(map.iterator())

  private def contents(rows: Iterator[UnsafeRowPair]): Map[(Int, Int), Long] =
    rows.map(p => (p.key.getInt(0), p.key.getInt(1)) -> p.value.getLong(0)).toMap

  /** What a map holds, which says nothing of its size. */
  private def rows(map: SharingMap): AnyRef = {
    val field = classOf[SharingMap].getDeclaredFields.find(_.getName.endsWith("rows")).get
    field.setAccessible(true)
    field.get(map)
  }
}
