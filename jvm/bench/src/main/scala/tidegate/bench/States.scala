package tidegate.bench

/** The stores in which a query may keep its state. */
private[bench] object States {
  private val Store = "spark.sql.streaming.stateStore."
  private val Provider = "org.apache.spark.sql.execution.streaming.state."

  val Names: Seq[String] = Seq("hdfs", "rocksdb", "rocksdb-changelog")

  /** The settings of the session for one of the names. */
  def settings(name: String): Map[String, String] = {
    val provider =
      if (name == "hdfs") "HDFSBackedStateStoreProvider" else "RocksDBStateStoreProvider"
    Map(
      Store + "providerClass" -> (Provider + provider),
      Store + "rocksdb.changelogCheckpointing.enabled" -> (name == "rocksdb-changelog").toString
    )
  }
}
