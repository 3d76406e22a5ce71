package org.apache.spark.sql.tidegate

import java.util.zip.ZipInputStream

import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.spark.SparkEnv
import org.apache.spark.io.CompressionCodec
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.streaming.state.{
  RocksDBImmutableFile,
  StateStoreChangelogReaderFactory
}
import org.json4s.JsonAST.JString
import org.json4s.jackson.JsonMethods.parse

/** What the files of a state store say of other files. */
object StateFiles {

  /** Where the files are, by the field that has their names. */
  private val folders = Map(
    "dfsSstFileName" -> RocksDBImmutableFile.SST_FILES_DFS_SUBDIR,
    "dfsLogFileName" -> RocksDBImmutableFile.LOG_FILES_DFS_SUBDIR
  )

  /** The files, relative to the folder of the store, of which the state in a zip file consists. */
  def listedIn(files: FileSystem, zip: Path): Seq[String] = {
    val in = new ZipInputStream(files.open(zip))
    try {
      val found = Iterator
        .continually(in.getNextEntry)
        .takeWhile(_ != null)
        .find(_.getName == "metadata")
      // The first line is the version.
      val text = found.fold("")(_ => new String(in.readAllBytes(), "UTF-8"))
      val json = text.linesIterator.drop(1).mkString
      if (json.isEmpty) Nil
      else
        parse(json)
          .filterField { case (field, _) => folders.contains(field) }
          .collect { case (field, JString(name)) => s"${folders(field)}/$name" }
    } finally in.close()
  }

  /** The versions, with the ids of their attempts, that a file of changes says it follows. */
  def lineage(session: SparkSession, changes: Path): Seq[(Long, String)] = {
    val conf = session.sessionState.conf
    val manager =
      CheckpointFileManager.create(changes.getParent, SparkInternals.hadoopConf(session))
    val codec =
      CompressionCodec.createCodec(SparkEnv.get.conf, conf.stateStoreCompressionCodec)
    val reader =
      new StateStoreChangelogReaderFactory(manager, changes, codec).constructChangelogReader()
    try reader.lineage.toSeq.map(item => item.version -> item.checkpointUniqueId)
    finally reader.closeIfNeeded()
  }
}
