package tidegate

/**
 * Where the state is, and how it is written.
 *
 * @param provider
 *   the beginning of the name of Spark's class
 */
final case class StateStoreKind(name: String, provider: String, settings: Map[String, String]) {

  /** What a session needs for it. */
  def conf: Map[String, String] = settings +
    ("spark.sql.streaming.stateStore.providerClass" ->
      s"org.apache.spark.sql.execution.streaming.state.${provider}StateStoreProvider")
}

object StateStoreKind {
  private val rocksDb = "spark.sql.streaming.stateStore.rocksdb"

  val hdfs: StateStoreKind = StateStoreKind("HDFS-backed state", "HDFSBacked", Map.empty)

  /** Each version of the state has a map of its own, as in Spark. */
  val unshared: StateStoreKind = StateStoreKind(
    "HDFS-backed state without shared versions",
    "HDFSBacked",
    Map("spark.tidegate.state.sharesVersions" -> "false")
  )

  val rocks: StateStoreKind = StateStoreKind(
    "RocksDB state",
    "RocksDB",
    Map(s"$rocksDb.changelogCheckpointing.enabled" -> "false")
  )

  val changelog: StateStoreKind = StateStoreKind(
    "RocksDB state with changelogs",
    "RocksDB",
    Map(s"$rocksDb.changelogCheckpointing.enabled" -> "true")
  )

  val format2: StateStoreKind = StateStoreKind(
    "RocksDB state of format 2",
    "RocksDB",
    Map(
      s"$rocksDb.changelogCheckpointing.enabled" -> "true",
      "spark.sql.streaming.stateStore.checkpointFormatVersion" -> "2"
    )
  )

  val all: Seq[StateStoreKind] = Seq(hdfs, unshared, rocks, changelog, format2)

  /** One of each of Spark's classes. */
  val pairs: Seq[Seq[StateStoreKind]] = Seq(Seq(hdfs, rocks), Seq(unshared, changelog))

  /**
   * Those on which most tests run: one of each of Spark's classes. The others differ in the files
   * that Spark writes; `-Dtidegate.stores=all` tries them too.
   */
  val tested: Seq[StateStoreKind] = if (areAll) all else Seq(hdfs, changelog)

  def areAll: Boolean = sys.props.get("tidegate.stores").contains("all")
}
