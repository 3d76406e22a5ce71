package tidegate.core.clock

import org.json4s.JsonAST.{JArray, JBool, JInt, JNull, JObject, JString, JValue}
import org.json4s.jackson.JsonMethods.compact

/**
 * The fields of a JSON object that has to be as it was written: one that is missing, or has another
 * type, is refused.
 *
 * @param path
 *   where the object is in its text
 */
private[clock] final class JsonFields(json: JObject, path: Seq[String] = Nil) {
  import JsonFields._

  private val fields = json.obj.toMap

  def names: Set[String] = fields.keySet

  def has(name: String): Boolean = fields.contains(name)

  def long(name: String): Long =
    take(name, "a whole number") { case JInt(n) if n.isValidLong => n.toLong }

  /** Above 0. */
  def positive(name: String): Long = {
    val n = long(name)
    if (n > 0) n else refuse(name, n.toString, "above 0")
  }

  /** From `lowest` to `highest`. */
  def int(name: String, lowest: Int, highest: Int): Int =
    take(name, s"a whole number from $lowest to $highest") {
      case JInt(n) if n >= lowest && n <= highest => n.toInt
    }

  /** `null` is none. */
  def optionalLong(name: String): Option[Long] = take(name, "a whole number or null") {
    case JNull                    => None
    case JInt(n) if n.isValidLong => Some(n.toLong)
  }

  def boolean(name: String): Boolean = take(name, "true or false") { case JBool(b) => b }

  def text(name: String): String = take(name, "a text") { case JString(s) => s }

  def longs(name: String): Seq[Long] = list(name, "a list of whole numbers") {
    case JInt(n) if n.isValidLong => n.toLong
  }

  def texts(name: String): Seq[String] = list(name, "a list of texts") { case JString(s) => s }

  def obj(name: String): JsonFields =
    take(name, "an object") { case o: JObject => new JsonFields(o, path :+ name) }

  def objs(name: String): Seq[JsonFields] =
    list(name, "a list of objects") { case o: JObject => new JsonFields(o, path :+ name) }

  /** What a field is not, as far as its type does not say it. */
  def refuse(name: String, found: String, wanted: String): Nothing =
    throw new Unexpected(path :+ name, found, wanted)

  private def list[T](name: String, wanted: String)(read: PartialFunction[JValue, T]): Seq[T] =
    take(name, wanted) {
      case JArray(values) if values.forall(read.isDefinedAt) => values.map(read)
    }

  private def take[T](name: String, wanted: String)(read: PartialFunction[JValue, T]): T =
    fields.get(name) match {
      case Some(value) => read.applyOrElse(value, (v: JValue) => refuse(name, shown(v), wanted))
      case None        => refuse(name, "missing", wanted)
    }
}

private[clock] object JsonFields {
  private val MostShown = 40

  /** A field is not as it was written. */
  final class Unexpected(path: Seq[String], found: String, wanted: String)
      extends RuntimeException(s"`${path.mkString(".")}` is $found; it must be $wanted.")

  private def shown(value: JValue): String = {
    val text = compact(value)
    if (text.length > MostShown) text.take(MostShown) + "..." else text
  }
}
