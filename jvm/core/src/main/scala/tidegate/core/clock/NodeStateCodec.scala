package tidegate.core.clock

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}
import java.nio.charset.StandardCharsets.UTF_8
import java.util.Base64
import java.util.zip.{Deflater, DeflaterOutputStream, InflaterInputStream}

/**
 * The text of a [[NodeState]]: 10,000 substreams take less than 100 kB. The names are sorted, and
 * each is stored as its difference from the name before; so are the numbers. The result is
 * compressed with deflate and encoded in base 64.
 */
private[clock] object NodeStateCodec {

  def write(state: NodeState): String = {
    val bytes = new ByteArrayOutputStream()
    val deflater = new Deflater(Deflater.BEST_COMPRESSION)
    val out = new DataOutputStream(new DeflaterOutputStream(bytes, deflater))
    var lastName = Array.emptyByteArray
    var lastLongs = Vector.empty[Long]
    writeLong(out, state.substreams.size.toLong)
    state.substreams.sortBy(_._1).foreach { case (text, longs) =>
      val name = text.getBytes(UTF_8)
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

  def read(text: String): NodeState = {
    val bytes = new ByteArrayInputStream(Base64.getDecoder.decode(text))
    val in = new DataInputStream(new InflaterInputStream(bytes))
    var lastName = Array.emptyByteArray
    var lastLongs = Vector.empty[Long]
    val substreams = Vector.newBuilder[(String, Vector[Long])]
    (0L until readLong(in)).foreach { _ =>
      val shared = readLong(in).toInt
      val rest = new Array[Byte](readLong(in).toInt)
      in.readFully(rest)
      lastName = lastName.take(shared) ++ rest
      lastLongs = Vector.tabulate(readLong(in).toInt) { i =>
        readLong(in) + lastLongs.applyOrElse(i, (_: Int) => 0L)
      }
      substreams += new String(lastName, UTF_8) -> lastLongs
    }
    NodeState(substreams.result())
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
      n |= (byte & 0x7fL) << shift
      shift += 7
      byte = in.readUnsignedByte()
    }
    n |= byte.toLong << shift
    (n >>> 1) ^ -(n & 1)
  }
}
