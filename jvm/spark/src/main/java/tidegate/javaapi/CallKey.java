package tidegate.javaapi;

/**
 * Which call of a query this is. A batch that is run again makes its calls with the same keys, so a
 * service that remembers them can leave out doubles.
 *
 * @param batch the number of the batch; -1 in a query on batch data
 * @param partition the number of the partition in its stage
 * @param row the number of the row in its partition, from 0 on
 */
public record CallKey(long batch, int partition, long row) {}
