package tidegate.core.clock.simulator

/** What the simulator has found: an invariant, and where it does not hold. */
private[simulator] final class BrokenInvariant(
    val invariant: String,
    val where: String,
    val found: Any,
    val wanted: Any
) extends Exception(s"$invariant: $where is $found, but has to be $wanted")
