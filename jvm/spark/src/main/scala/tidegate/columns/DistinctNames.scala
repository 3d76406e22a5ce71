package tidegate.columns

import java.util.Locale

import scala.collection.mutable

import org.apache.spark.sql.types.StructField

/**
 * Names of columns of which each comes once, without regard to case, as Spark has it by default.
 */
private[tidegate] object DistinctNames {

  /**
   * The columns, where a name that comes again has a number: `id`, `id_2`. A number never makes the
   * name of another column.
   *
   * @param reserved
   *   names that no column may have
   */
  def of(columns: Seq[StructField], reserved: String*): Seq[StructField] = {
    def lower(name: String) = name.toLowerCase(Locale.ROOT)
    val names = columns.map(c => lower(c.name)).toSet
    val taken = mutable.Set.from(reserved.map(lower))
    columns.map { c =>
      val numbered = Iterator.from(2).map(n => s"${c.name}_$n").filterNot(n => names(lower(n)))
      val name = (Iterator.single(c.name) ++ numbered).find(name => taken.add(lower(name))).get
      c.copy(name = name)
    }
  }
}
