package tidegate.snapshot

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.HexFormat

import scala.util.Try

import org.json4s.JsonAST.{JArray, JInt, JNull, JObject, JString, JValue}
import org.json4s.jackson.JsonMethods.{compact, parseOpt}

/**
 * A file of a snapshot.
 *
 * @param path
 *   relative to the snapshot
 * @param sha256
 *   as hexadecimal digits
 */
private[snapshot] final case class SnapshotFile(path: String, bytes: Long, sha256: String)

/**
 * What a snapshot says of itself.
 *
 * @param query
 *   the name of the query, or else its id
 * @param queryId
 *   the id that Spark gave the query
 * @param checkpoint
 *   where the checkpoint was
 * @param batchId
 *   the last batch that the query had committed
 * @param begun
 *   the batch after it, if the batch was begun
 * @param batchTimeMs
 *   the wall clock when the last committed batch began, in epoch ms
 * @param exportedAtMs
 *   the wall clock when the export began, in epoch ms
 * @param sources
 *   Spark's descriptions of the sources, by what the offset log calls them; empty if the query did
 *   not run
 * @param sink
 *   the folder of the sink of files whose log the snapshot has
 */
private[snapshot] final case class Manifest(
    query: String,
    queryId: String,
    checkpoint: String,
    batchId: Long,
    begun: Option[Long],
    batchTimeMs: Long,
    exportedAtMs: Long,
    sources: Map[String, String],
    sink: Option[String],
    files: Seq[SnapshotFile]
) {

  def bytes: Long = files.map(_.bytes).sum

  /** One line of JSON, and one with its checksum. */
  def text: String = {
    val json = compact(
      JObject(
        Manifest.Marker -> JInt(Manifest.Format),
        "query" -> JString(query),
        "queryId" -> JString(queryId),
        "checkpoint" -> JString(checkpoint),
        "batch" -> JInt(batchId),
        "begun" -> begun.fold[JValue](JNull)(JInt(_)),
        "batchTime" -> JInt(batchTimeMs),
        "exportedAt" -> JInt(exportedAtMs),
        "sources" -> JObject(sources.toList.sorted.map { case (name, description) =>
          name -> JString(description)
        }),
        "sink" -> sink.fold[JValue](JNull)(JString(_)),
        "files" -> JArray(files.map { file =>
          JArray(List(JString(file.path), JInt(file.bytes), JString(file.sha256)))
        }.toList)
      )
    )
    s"$json\n${Manifest.checksum(json)}\n"
  }
}

private[snapshot] object Manifest {

  /** The format that is written, and the highest that is read. */
  val Format = 1

  private val Marker = "tidegateSnapshot"

  /** Why a manifest cannot be read. */
  sealed trait Unreadable
  case object Changed extends Unreadable
  final case class Newer(format: Long) extends Unreadable

  def read(text: String): Either[Unreadable, Manifest] = text.linesIterator.toSeq match {
    case Seq(json, checksum) if checksum == Manifest.checksum(json) =>
      val fields = parseOpt(json).getOrElse(JNull)
      fields \ Marker match {
        case JInt(format) if format > Format => Left(Newer(format.toLong))
        // The checksum is right, so the fields are as they were written.
        case _ => Try(manifest(fields)).toOption.toRight(Changed)
      }
    case _ => Left(Changed)
  }

  private def manifest(fields: JValue): Manifest = Manifest(
    text(fields \ "query"),
    text(fields \ "queryId"),
    text(fields \ "checkpoint"),
    long(fields \ "batch"),
    Some(fields \ "begun").filter(_ != JNull).map(long),
    long(fields \ "batchTime"),
    long(fields \ "exportedAt"),
    fields \ "sources" match {
      case JObject(list) => list.map { case (name, description) => name -> text(description) }.toMap
      case other         => throw new IllegalArgumentException(s"$other has no fields")
    },
    Some(fields \ "sink").filter(_ != JNull).map(text),
    (fields \ "files").children.map { file =>
      SnapshotFile(text(file(0)), long(file(1)), text(file(2)))
    }
  )

  private def text(value: JValue): String = value match {
    case JString(s) => s
    case other      => throw new IllegalArgumentException(s"$other is no text")
  }

  private def long(value: JValue): Long = value match {
    case JInt(n) => n.toLong
    case other   => throw new IllegalArgumentException(s"$other is no number")
  }

  private def checksum(text: String): String =
    hex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)))

  def hex(digest: Array[Byte]): String = HexFormat.of().formatHex(digest)
}
