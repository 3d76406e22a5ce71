package tidegate.preparation

import scala.collection.mutable

/** Numbers repeated names from 2 on, and never gives one out twice. */
private[tidegate] final class UniqueNames(reserved: Iterable[String] = Nil) {
  private val taken = mutable.Set.from(reserved)

  def next(name: String): String = {
    val free = Iterator.single(name) ++ Iterator.from(2).map(n => s"$name-$n")
    val chosen = free.find(!taken.contains(_)).get
    taken += chosen
    chosen
  }
}
