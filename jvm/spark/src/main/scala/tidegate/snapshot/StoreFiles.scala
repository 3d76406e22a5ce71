package tidegate.snapshot

import scala.annotation.tailrec

/** Which files of a state store hold one version of its state. */
private[snapshot] object StoreFiles {

  /**
   * The last whole state up to the version, and what was changed since then.
   *
   * @return
   *   nothing if the store lacks a part of the version
   */
  def of(files: Seq[StoreFile], version: Long): Option[Seq[StoreFile]] = {
    val known = files.filter(f => f.id.isEmpty && f.version <= version)
    val (whole, changes) = known.partition(_.isWhole)
    val last = whole.maxByOption(_.version)
    val byVersion = changes.map(f => f.version -> f).toMap
    val since = (last.fold(0L)(_.version) + 1 to version).map(byVersion.get)
    Option.when(known.nonEmpty && since.forall(_.isDefined))(last.toSeq ++ since.flatten)
  }

  /**
   * The same for checkpoint format 2, where a version can have files of several attempts.
   *
   * @param ids
   *   the ids of the attempts that were committed
   * @param lineage
   *   the versions, with their ids, that a file says it follows
   */
  def of(
      files: Seq[StoreFile],
      version: Long,
      ids: Set[String],
      lineage: StoreFile => Seq[(Long, String)]
  ): Option[Seq[StoreFile]] = {
    val byAttempt = files.groupBy(f => f.version -> f.id.getOrElse(""))

    @tailrec
    def back(
        attempt: (Long, String),
        earlier: Seq[(Long, String)],
        taken: List[StoreFile]
    ): Option[Seq[StoreFile]] = {
      val found = byAttempt.getOrElse(attempt, Nil)
      (found.find(_.isWhole), found.find(!_.isWhole)) match {
        case (Some(whole), _)     => Some(whole :: taken)
        case (None, None)         => None
        case (None, Some(change)) =>
          val before =
            if (earlier.nonEmpty) earlier
            else lineage(change).filter(_._1 < attempt._1).sortBy(-_._1)
          before.headOption match {
            case None       => Option.when(attempt._1 == 1)(change :: taken)
            case Some(last) => back(last, before.tail, change :: taken)
          }
      }
    }

    files
      .filter(_.version == version)
      .flatMap(_.id)
      .find(ids)
      .flatMap(id => back(version -> id, Nil, Nil))
  }
}
