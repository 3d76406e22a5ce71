package tidegate.own.aggregates

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.expressions.codegen._
import org.apache.spark.sql.types.{DataType, DecimalType, LongType}
import tidegate.core.window.Slots

/**
 * Generates the steps of the loop over a key, for the aggregates of one query, as one class: load,
 * merge, slide, evaluate and store an entry. Buffers are read into local variables and merged
 * there; Spark's projections would read and write each buffer through the interface of a row.
 */
private[own] object GeneratePackedSlots extends Logging {

  def apply(aggregates: FrameAggregates): PackedSlots = generate(aggregates)._1

  /** The slots, and the size of their largest method in bytes. */
  def generate(aggregates: FrameAggregates): (PackedSlots, Int) = {
    val ctx = new CodegenContext
    val steps = new GeneratePackedSlots(ctx, aggregates).methods
    val source = s"""
      public java.lang.Object generate(Object[] references) {
        return new GeneratedPackedSlots(references);
      }
      final class GeneratedPackedSlots extends ${classOf[PackedSlots].getName} {
        private Object[] references;
        ${ctx.declareMutableStates()}
        public GeneratedPackedSlots(Object[] references) {
          super(${aggregates.buffers.size});
          this.references = references;
          ${ctx.initMutableStates()}
        }
        ${steps.mkString("\n")}
        ${ctx.declareAddedFunctions()}
      }"""
    val code = CodeFormatter.stripOverlappingComments(
      new CodeAndComment(source, ctx.getPlaceHolderToComments())
    )
    logDebug(s"Code for frames:\n${CodeFormatter.format(code)}")
    val (generated, statistics) = CodeGenerator.compile(code)
    val slots = generated.generate(ctx.references.toArray).asInstanceOf[PackedSlots]
    (slots, statistics.maxMethodCodeSize)
  }
}

private final class GeneratePackedSlots(ctx: CodegenContext, aggregates: FrameAggregates) {
  private val row = classOf[UnsafeRow].getName
  private val buffers = aggregates.buffers
  private val functions =
    aggregates.functions.map(_.aggregateFunction.asInstanceOf[DeclarativeAggregate])

  /** The values of an entry, in the order of the buffers, and the code that makes them. */
  private case class Locals(code: String, values: Seq[ExprCode])

  def methods: Seq[String] =
    Seq(copy("copyEntry", 2 + buffers.size), copy("copyFields", 1 + buffers.size)) ++
      Seq(merge, mergeTails, result)

  /** Copies word by word, which is faster here than a call that copies memory. */
  private def copy(name: String, words: Int): String = {
    val copies = (0 until words).map { i =>
      s"Platform.putLong(to, toAddress + ${8 * i}, Platform.getLong(from, fromAddress + ${8 * i}));"
    }
    s"""public void $name(Object from, long fromAddress, Object to, long toAddress) {
       |  ${copies.mkString("\n")}
       |}""".stripMargin
  }

  private def merge: String = {
    val (mine, theirs) = (read("earlierAt"), read("laterAt"))
    val merged = merge(mine, theirs)
    s"""public void merge(int earlier, int later, int into) {
       |  long[] words = words();
       |  long earlierAt = at(earlier);
       |  long laterAt = at(later);
       |  long intoAt = at(into);
       |  ${mine.code}
       |  ${theirs.code}
       |  ${merged.code}
       |  ${write(merged, "intoAt")}
       |}""".stripMargin
  }

  /** The merged values stay in local variables for the entry before. */
  private def mergeTails: String = {
    val (mine, tail) = (read("placeAt"), read("lastAt"))
    val merged = merge(mine, tail)
    s"""public void mergeTails(int[] places, int size) {
       |  if (size > 1) {
       |    long[] words = words();
       |    long lastAt = at(places[size - 1]);
       |    ${tail.code}
       |    for (int i = size - 2; i >= 0; i--) {
       |      long placeAt = at(places[i]);
       |      ${mine.code}
       |      ${merged.code}
       |      ${write(merged, "placeAt")}
       |      ${assign(tail, merged)}
       |    }
       |  }
       |}""".stripMargin
  }

  private def result: String = {
    val (entry, rest) = (read("earlierAt"), read("laterAt"))
    val merged = merge(entry, rest)
    val evaluated = aggregates.functions
      .map(_.resultAttribute.exprId)
      .zip(functions.map(_.evaluateExpression))
      .toMap
    val results = aggregates.results.map(_.transform {
      case a: Attribute if evaluated.contains(a.exprId) => evaluated(a.exprId)
    })
    val keys = keyColumns(AttributeSet(results))
    val start = ExprCode(FalseLiteral, JavaCode.variable("start", LongType))
    val inputs = (aggregates.stateKey :+ aggregates.frame) ++ buffers
    val bound = results.map(BindReferences.bindReference[Expression](_, inputs))
    use((keys :+ start) ++ entry.values)
    val output = GenerateUnsafeProjection.createCode(ctx, bound)
    s"""public $row result($row stateKey, long start, int earlier, int later) {
       |  long[] words = words();
       |  long earlierAt = at(earlier);
       |  ${entry.code}
       |  if (later != ${Slots.NoSlot}) {
       |    long laterAt = at(later);
       |    ${rest.code}
       |    ${merged.code}
       |    ${assign(entry, merged)}
       |  }
       |  ${codeOf(keys)}
       |  ${output.code}
       |  return ${output.value};
       |}""".stripMargin
  }

  private def keyColumns(used: AttributeSet): Seq[ExprCode] =
    aggregates.stateKey.zipWithIndex.map { case (key, i) =>
      if (!used.contains(key)) ExprCode.forNullValue(key.dataType)
      else {
        val read = CodeGenerator.getValue("stateKey", key.dataType, i.toString)
        local(key.dataType, read, Option.when(key.nullable)(s"stateKey.isNullAt($i)"))
      }
    }

  /** The buffers of the entry at an address. */
  private def read(address: String): Locals = {
    val nulls = ctx.freshName("nulls")
    val values = buffers.zipWithIndex.map { case (buffer, i) =>
      val isNull = Option.when(buffer.nullable)(s"($nulls & ${bit(i)}) != 0L")
      local(buffer.dataType, readWord(buffer.dataType, word(address, i)), isNull)
    }
    Locals(s"long $nulls = Platform.getLong(words, $address);\n${codeOf(values)}", values)
  }

  private def readWord(dataType: DataType, address: String): String = dataType match {
    case d: DecimalType =>
      s"Decimal.createUnsafe(Platform.getLong(words, $address), ${d.precision}, ${d.scale})"
    case other => s"Platform.get${typeName(other)}(words, $address)"
  }

  private def local(dataType: DataType, read: String, isNull: Option[String]): ExprCode = {
    val javaType = CodeGenerator.javaType(dataType)
    val value = JavaCode.variable(ctx.freshName("value"), dataType)
    isNull match {
      case None            => ExprCode(code"$javaType $value = $read;", FalseLiteral, value)
      case Some(condition) =>
        val variable = JavaCode.isNullVariable(ctx.freshName("isNull"))
        val orDefault = s"$variable ? ${CodeGenerator.defaultValue(dataType)} : $read"
        ExprCode(
          code"""boolean $variable = $condition;
                |$javaType $value = $orDefault;""".stripMargin,
          variable,
          value
        )
    }
  }

  private def merge(mine: Locals, theirs: Locals): Locals = {
    use(mine.values ++ theirs.values)
    val inputs = buffers ++ aggregates.inputBuffers
    val values = functions
      .flatMap(_.mergeExpressions)
      .map(e => BindReferences.bindReference(e, inputs).genCode(ctx))
    Locals(codeOf(values), values)
  }

  /** Lets expressions read these variables. */
  private def use(values: Seq[ExprCode]): Unit = {
    ctx.INPUT_ROW = null
    ctx.currentVars = values.map(_.copy(code = EmptyBlock))
  }

  private def write(values: Locals, address: String): String = {
    val nulls = ctx.freshName("nulls")
    val writes = values.values.zip(buffers).zipWithIndex.map { case ((value, buffer), i) =>
      val at = word(address, i)
      val put = writeWord(buffer.dataType, at, value.value)
      isNull(value, buffer.dataType).fold(put) { isNull =>
        s"""if ($isNull) {
           |  $nulls |= ${bit(i)};
           |  Platform.putLong(words, $at, 0L);
           |} else {
           |  $put
           |}""".stripMargin
      }
    }
    s"""long $nulls = 0L;
       |${writes.mkString("\n")}
       |Platform.putLong(words, $address, $nulls);""".stripMargin
  }

  private def isNull(value: ExprCode, dataType: DataType): Option[String] = {
    // As in `UnsafeRow.setDecimal`, a number that is too large is null.
    val ofDecimal = Option.when(dataType.isInstanceOf[DecimalType])(s"${value.value} == null")
    val conditions = Option.when(value.isNull != FalseLiteral)(value.isNull.toString) ++ ofDecimal
    Option.when(conditions.nonEmpty)(conditions.mkString(" || "))
  }

  private def writeWord(dataType: DataType, address: String, value: String): String =
    dataType match {
      case _: DecimalType => s"Platform.putLong(words, $address, $value.toUnscaledLong());"
      case other          => s"Platform.put${typeName(other)}(words, $address, $value);"
    }

  /** Assigns `values` to `variables`, all at once. */
  private def assign(variables: Locals, values: Locals): String = {
    val pairs = variables.values.zip(values.values)
    val types = buffers.map(b => CodeGenerator.javaType(b.dataType))
    val all = pairs.zip(types).map { case ((variable, value), javaType) =>
      (javaType, variable.value, value.value)
    } ++ pairs.collect {
      case (variable, value) if variable.isNull != FalseLiteral =>
        (CodeGenerator.JAVA_BOOLEAN, variable.isNull, value.isNull)
    }
    val copies = all.map { case (javaType, _, value) =>
      val name = ctx.freshName("copy")
      name -> s"$javaType $name = $value;"
    }
    val assignments = all.zip(copies).map { case ((_, variable, _), (name, _)) =>
      s"$variable = $name;"
    }
    (copies.map(_._2) ++ assignments).mkString("\n")
  }

  private def codeOf(values: Seq[ExprCode]): String = values.map(_.code.toString).mkString("\n")

  /** The address of a buffer in the entry at `address`: after the null bits and the frame. */
  private def word(address: String, buffer: Int): String = s"$address + ${8 * (2 + buffer)}"

  private def bit(buffer: Int): String = s"${1L << (1 + buffer)}L"

  private def typeName(dataType: DataType): String =
    CodeGenerator.primitiveTypeName(CodeGenerator.javaType(dataType))
}

/** Places for entries. */
private[own] object EntrySlots extends Logging {

  /**
   * Places for the entries of these aggregates: with generated code, if there is code for them and
   * Java can compile it.
   */
  def apply(aggregates: FrameAggregates): BufferSlots =
    if (!aggregates.arePacked) new ObjectSlots(aggregates)
    else
      try GeneratePackedSlots(aggregates)
      catch {
        case NonFatal(e) =>
          logWarning("There is no generated code for the frames of a query, which is slower.", e)
          new ObjectSlots(aggregates)
      }
}
