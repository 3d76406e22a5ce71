package tidegate.core.clock

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Base64
import java.util.zip.{Deflater, DeflaterOutputStream, InflaterInputStream}

import scala.util.control.NonFatal

/**
 * The text of substreams: 10,000 take less than 150 kB. The names are sorted, and each says only
 * how it differs from the one before it; so do the numbers. The rest is deflate and base 64.
 */
private[clock] object NodeStateCodec {

  def write(substreams: Seq[SavedSubstream]): String = {
    val bytes = new ByteArrayOutputStream()
    val deflater = new Deflater(Deflater.BEST_COMPRESSION)
    val out = new DataOutputStream(new DeflaterOutputStream(bytes, deflater))
    var lastName = Array.emptyByteArray
    var lastLongs = Vector.empty[Long]
    writeLong(out, substreams.size.toLong)
    substreams.sortBy(_.name).foreach { substream =>
      val name = substream.name.getBytes(UTF_8)
      val longs = substream.activeAtMs +: substream.values
      val shared = name.zip(lastName).takeWhile { case (a, b) => a == b }.length
      writeLong(out, shared.toLong)
      writeLong(out, (name.length - shared).toLong)
      out.write(name, shared, name.length - shared)
      writeLong(out, longs.size.toLong)
      longs.zipAll(lastLongs.take(longs.size), 0L, 0L).foreach { case (n, last) =>
        writeLong(out, n - last)
      }
      lastName = name
      lastLongs = longs
    }
    out.close()
    deflater.end()
    Base64.getEncoder.encodeToString(bytes.toByteArray)
  }

  /** What is wrong with the text, or the substreams. */
  def read(text: String): Either[String, Seq[SavedSubstream]] =
    try Right(substreams(text))
    catch {
      // Base 64, deflate, an end that comes too early, a count that cannot be: all are damage.
      case NonFatal(e) => Left(s"not readable (${e.getClass.getSimpleName})")
    }

  private def substreams(text: String): Seq[SavedSubstream] = {
    val bytes = new ByteArrayInputStream(Base64.getDecoder.decode(text))
    val in = new DataInputStream(new InflaterInputStream(bytes))
    var lastName = Array.emptyByteArray
    var lastLongs = Vector.empty[Long]
    val read = Vector.newBuilder[SavedSubstream]
    (0L until readLong(in)).foreach { _ =>
      val shared = readCount(in, lastName.length)
      val rest = new Array[Byte](readCount(in, MostBytes))
      in.readFully(rest)
      lastName = lastName.take(shared) ++ rest
      lastLongs = Vector.tabulate(readCount(in, MostLongs)) { i =>
        readLong(in) + lastLongs.applyOrElse(i, (_: Int) => 0L)
      }
      read += SavedSubstream(new String(lastName, UTF_8), lastLongs.tail, lastLongs.head)
    }
    require(in.read() < 0, "there is more than the substreams")
    read.result()
  }

  /** More than any name or snapshot has: a damaged count must not ask for all the memory. */
  private val MostBytes = 1 << 24
  private val MostLongs = 1 << 10

  private def readCount(in: DataInputStream, highest: Int): Int = {
    val n = readLong(in)
    require(n >= 0 && n <= highest, s"a count of $n")
    n.toInt
  }

  /** Zigzag encoding with seven bits in a byte: small numbers of either sign take one byte. */
  private def writeLong(out: DataOutputStream, n: Long): Unit = {
    var rest = (n << 1) ^ (n >> 63)
    while ((rest & ~0x7fL) != 0) {
      out.writeByte(((rest & 0x7f) | 0x80).toInt)
      rest = rest >>> 7
    }
    out.writeByte(rest.toInt)
  }

  private def readLong(in: DataInputStream): Long = {
    var shift = 0
    var n = 0L
    var byte = in.readUnsignedByte()
    while ((byte & 0x80) != 0) {
      require(shift < 63, "a number of more than 64 bits")
      n |= (byte & 0x7fL) << shift
      shift += 7
      byte = in.readUnsignedByte()
    }
    n |= byte.toLong << shift
    (n >>> 1) ^ -(n & 1)
  }
}
