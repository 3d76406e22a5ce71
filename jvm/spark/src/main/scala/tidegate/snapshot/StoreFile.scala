package tidegate.snapshot

/**
 * A file of a state store that Spark has named after a version: the whole state, or what a batch
 * has changed.
 *
 * @param version
 *   the number of the batch after which the state was so, plus one
 * @param id
 *   which of several attempts to write the version; checkpoint format 2 of the state store has it
 * @param isWhole
 *   whether the file has the whole state
 */
private[snapshot] final case class StoreFile(
    name: String,
    version: Long,
    id: Option[String],
    isWhole: Boolean
) {

  /** Whether the file is only a list of other files, which RocksDB has made. */
  def isList: Boolean = name.endsWith(".zip")
}

private[snapshot] object StoreFile {
  private val Name = """(\d{1,18})(?:_([^.]+))?\.(delta|snapshot|zip|changelog)""".r

  /** `None` for any other file. */
  def of(name: String): Option[StoreFile] = name match {
    case Name(version, id, kind) =>
      Some(StoreFile(name, version.toLong, Option(id), kind == "snapshot" || kind == "zip"))
    case _ => None
  }
}
