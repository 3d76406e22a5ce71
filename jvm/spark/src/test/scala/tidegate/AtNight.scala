package tidegate

import org.apache.spark.SPARK_VERSION
import org.scalatest.funsuite.AnyFunSuite

/**
 * Suites of which `make test` runs a part. `make test-stores`, tests on another Spark, and
 * `testOnly` run all of their tests.
 */
trait AtNight extends AnyFunSuite {

  /**
   * Parts of the titles of tests that `make test` leaves out: another test there takes the same way
   * through the code.
   */
  protected def atNight: Seq[String] = Nil

  /** A suite made of another one, or on another Spark, may lack some of the tests. */
  private def isWhole: Boolean = SPARK_VERSION.startsWith("4.2") &&
    getClass.getDeclaredMethods.exists(_.getName == "atNight")

  override def tags: Map[String, Set[String]] = {
    val unknown = atNight.filterNot(part => testNames.exists(_.contains(part)))
    require(!isWhole || unknown.isEmpty, s"no test has a title with: ${unknown.mkString(", ")}")
    val left = testNames.filter(title => atNight.exists(title.contains))
    super.tags ++ left.map(_ -> Set(AtNight.Tag))
  }
}

object AtNight {

  /** What `build.sbt` leaves out. */
  val Tag = "tidegate.AtNight"

  /** How many random cases run: as `-Dtidegate.cases=N` says, or `all` with all stores. */
  def cases(few: Int, all: Int): Int =
    sys.props.get("tidegate.cases").fold(if (StateStoreKind.areAll) all else few)(_.toInt)
}
