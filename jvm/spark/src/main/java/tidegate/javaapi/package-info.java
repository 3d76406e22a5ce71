/**
 * Tidegate for Java: static methods with plain Java types, over the same code as Scala's methods.
 *
 * <pre>{@code
 * import tidegate.javaapi.KeyedWatermarkOptions;
 * import tidegate.javaapi.Tidegate;
 *
 * Dataset<Row> keyed = Tidegate.withKeyedWatermark(
 *     orders,
 *     "order_time",
 *     KeyedWatermarkOptions.lag("5 seconds").substream("topic", "partition").name("orders"));
 * Dataset<Row> counts = keyed.groupBy(window(col("order_time"), "1 minute")).count();
 * }</pre>
 *
 * <p>A duration is a {@link java.time.Duration} or a Spark interval text such as {@code "5
 * seconds"}, in whole milliseconds. No argument may be null unless its description says so; a
 * value that may be missing is returned as an {@link java.util.Optional}. What Spark and Tidegate
 * refuse is an {@code org.apache.spark.sql.AnalysisException}, which Scala does not declare: Java
 * catches it as an {@link java.lang.Exception}.
 *
 * <p>The package is not called {@code tidegate.java}: inside of {@code package tidegate}, Scala
 * would then read {@code java.util} as {@code tidegate.java.util}.
 */
package tidegate.javaapi;
