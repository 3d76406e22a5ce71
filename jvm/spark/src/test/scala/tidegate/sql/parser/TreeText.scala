package tidegate.sql.parser

import java.util.UUID

import scala.collection.mutable
import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.{ExprId, GenericInternalRow}
import org.apache.spark.sql.catalyst.trees.{Origin, TreeNode}
import org.apache.spark.sql.types.DataType

/** Everything in a parsed tree as text; ids, which differ each time, are numbered. */
private[parser] object TreeText {

  def of(tree: Any): String = new TreeText(withOrigins = false).text(tree)

  /** With the position of every node and expression. */
  def withOrigins(tree: Any): String = new TreeText(withOrigins = true).text(tree)
}

private final class TreeText(withOrigins: Boolean) {
  private val ids = mutable.LinkedHashMap.empty[Any, Int]

  private def number(id: Any): String = s"#${ids.getOrElseUpdate(id, ids.size)}"

  private def text(value: Any): String = value match {
    case n: TreeNode[_] =>
      s"${n.nodeName}${if (withOrigins) origin(n.origin) else ""}(${parts(n)})\n"
    case id: ExprId                                     => number(id)
    case t: DataType                                    => t.json
    case s: String if Try(UUID.fromString(s)).isSuccess => number(s)
    case s: String                                      => s
    case a: Array[_]                                    => text(a.toSeq)
    case m: collection.Map[_, _]     => m.toSeq.map(text).sorted.mkString("{", ",", "}")
    case i: Iterable[_]              => i.map(text).mkString("[", ",", "]")
    case r: GenericInternalRow       => text(r.values)
    case p: Product                  => s"${p.productPrefix}(${parts(p)})"
    case null                        => "null"
    case other if isAnonymous(other) => other.getClass.getPackageName
    case other                       => other.toString
  }

  private def parts(p: Product) = p.productIterator.map(text).mkString(",")

  private def isAnonymous(value: Any) =
    value.toString == s"${value.getClass.getName}@${Integer.toHexString(value.hashCode)}" ||
      value.isInstanceOf[Function1[_, _]] || value.isInstanceOf[Function2[_, _, _]]

  private def origin(o: Origin): String =
    Seq(o.line, o.startPosition, o.startIndex, o.stopIndex, o.sqlText.map(_.hashCode), o.objectType)
      .map(_.fold("-")(_.toString))
      .mkString("@", " ", "")
}
