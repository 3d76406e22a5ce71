package tidegate.own.aggregates

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.expressions.codegen.CodeGenerator
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

class GeneratePackedSlotsSuite extends AnyFunSuite {
  private val x = AttributeReference("x", DoubleType)()
  private val y = AttributeReference("y", DoubleType)()

  private def packed(functions: Seq[AggregateFunction]): FrameAggregates = {
    val key = AttributeReference("key", LongType)()
    val frame = AttributeReference("frame", LongType, nullable = false)()
    val all = functions.map(_.toAggregateExpression())
    FrameAggregates(Seq(key), frame, all, Seq(key) ++ all.map(_.resultAttribute))
  }

  test("the most buffers that are packed make methods that the virtual machine compiles") {
    val deviations = Seq.fill(8)(StddevSamp(x))
    val correlations = Seq.fill(4)(Corr(x, y))
    val averages = Seq.fill(12)(Average(x))
    Seq(deviations, correlations, averages).foreach { functions =>
      val aggregates = packed(functions)
      assert(aggregates.arePacked && !packed(functions :+ Max(x)).arePacked)
      val (_, largest) = GeneratePackedSlots.generate(aggregates)
      assert(largest <= CodeGenerator.DEFAULT_JVM_HUGE_METHOD_LIMIT)
    }
  }
}
