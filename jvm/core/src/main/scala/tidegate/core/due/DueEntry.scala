package tidegate.core.due

/** A key that is due. The iterator that returns it fills the same object again. */
final class DueEntry[K] {

  /** Valid until the iterator is asked again. */
  var key: K = _

  /** In µs, the time for which the key was added. */
  var due: Long = 0L
}
