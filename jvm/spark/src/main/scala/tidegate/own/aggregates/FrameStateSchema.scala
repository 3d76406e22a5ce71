package tidegate.own.aggregates

import org.apache.spark.sql.types.{ArrayType, DataType, StructType}

/** The schema of the state of frames in a checkpoint. */
private[own] object FrameStateSchema {

  /**
   * Compares the functions that filled the state. Spark compares only the types, and would mix
   * minima with maxima.
   *
   * @param value
   *   as the checkpoint has it
   * @param path
   *   the column of a value of the state that has the entries: its name, after those of the columns
   *   that it is in. If there is none, the types are others too, which Spark refuses
   */
  def check(value: StructType, path: Seq[String], entryType: StructType)(
      refused: (Seq[String], Seq[String]) => Throwable
  ): Unit =
    buffers(value, path).foreach { before =>
      val now = functions(entryType)
      if (before != now) throw refused(before, now)
    }

  /** The functions that fill the buffers of the entries. */
  private def buffers(value: StructType, path: Seq[String]): Option[Seq[String]] =
    path
      .foldLeft(Option[DataType](value)) {
        case (Some(outer: StructType), name) => outer.find(_.name == name).map(_.dataType)
        case _                               => None
      }
      .collect { case ArrayType(entry: StructType, _) => functions(entry) }

  /**
   * The functions of the buffers in an entry, without their arguments: like Spark, we let a query
   * continue that computes an argument in another way.
   */
  def functions(entry: StructType): Seq[String] =
    entry.fieldNames.toSeq.filter(_.contains('(')).map { name =>
      // Equal names have a number at their end.
      val plain = name.replaceFirst(" \\d+$", "")
      plain.takeWhile(_ != '(') + plain.drop(plain.lastIndexOf(')') + 1)
    }
}
