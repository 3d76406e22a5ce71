package tidegate

import org.apache.spark.SparkException
import org.scalatest.funsuite.AnyFunSuite

/** A jar on a Spark that it is not for. */
class SparkMatchSuite extends AnyFunSuite {
  private val own = s"tidegate-spark-${ThisJar.Spark}_2.13-${ThisJar.Version}.jar"
  private val other = ThisJar.Sparks.filterNot(_ == ThisJar.Spark).head

  private def refusal(spark: String): String =
    intercept[SparkException](SparkMatch.check(spark)).getMessage

  test("its own, also in a later patch, a preview or a build of a vendor") {
    SparkMatch.check()
    Seq("99", "0-preview2", "1-amzn-0", "2.7.1.9").foreach(p =>
      SparkMatch.check(s"${ThisJar.Spark}.$p")
    )
  }

  test("one that has a jar of its own: the message names that jar") {
    assert(
      refusal(s"$other.7") === s"[TIDEGATE_OTHER_SPARK] $own is for Spark ${ThisJar.Spark}, and " +
        s"this is Spark $other.7. Use tidegate-spark-${other}_2.13-${ThisJar.Version}.jar instead."
    )
  }

  test("one without a jar: the message names all that have one") {
    for (spark <- Seq("3.5.6", "4.99.0", "5.0.0"))
      assert(
        refusal(
          spark
        ) === s"[TIDEGATE_OTHER_SPARK] $own is for Spark ${ThisJar.Spark}, and this is " +
          s"Spark $spark. Tidegate ${ThisJar.Version} has jars for Spark 4.0, 4.1, 4.2 and 4.3."
      )
  }
}
