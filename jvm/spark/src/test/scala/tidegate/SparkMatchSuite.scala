package tidegate

import org.apache.spark.SparkException
import org.apache.spark.sql.AnalysisException
import org.scalatest.funsuite.AnyFunSuite
import tidegate.errors.Conditions

/** A jar on a Spark that it is not for. */
class SparkMatchSuite extends AnyFunSuite {
  private val own = s"tidegate-spark-${ThisJar.Spark}_2.13-${ThisJar.Version}.jar"
  private val other = ThisJar.Sparks.filterNot(_ == ThisJar.Spark).head

  private def refusal(spark: String): String =
    intercept[SparkException](SparkMatch.check(spark)).getMessage

  /** The text of the error condition, as the page of errors has it. */
  private def condition(spark: String, cure: String): String = {
    Conditions.register()
    val parameters =
      Map("jar" -> own, "spark" -> ThisJar.Spark, "found" -> spark, "cure" -> cure)
    val error = new AnalysisException("TIDEGATE_OTHER_SPARK", parameters)
    error.getMessage.stripSuffix(" SQLSTATE: 56038")
  }

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
    val jar = s"tidegate-spark-${other}_2.13-${ThisJar.Version}.jar"
    assert(refusal(s"$other.7") === condition(s"$other.7", s"Use $jar instead."))
  }

  test("one without a jar: the message names all that have one") {
    for (spark <- Seq("3.5.6", "4.99.0", "5.0.0")) {
      val jars = s"Tidegate ${ThisJar.Version} has jars for Spark 4.0, 4.1, 4.2 and 4.3."
      assert(
        refusal(spark) === s"[TIDEGATE_OTHER_SPARK] $own is for Spark ${ThisJar.Spark}, and " +
          s"this is Spark $spark. $jars"
      )
      assert(refusal(spark) === condition(spark, jars))
    }
  }
}
