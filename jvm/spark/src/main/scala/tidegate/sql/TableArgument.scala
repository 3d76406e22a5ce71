package tidegate.sql

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _}

/**
 * Properties of the table argument that are checked before the table is resolved.
 *
 * @param isMissing
 *   whether the call has none
 * @param hasOrder
 *   whether it has an `ORDER BY` or `WITH SINGLE PARTITION`, which have no meaning
 * @param isStream
 *   whether `STREAM` stands before the call, where it has no meaning
 */
private[tidegate] final case class TableArgument(
    isMissing: Boolean = false,
    hasOrder: Boolean = false,
    isStream: Boolean = false
)
