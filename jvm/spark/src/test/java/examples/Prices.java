package examples;

import java.util.concurrent.CompletableFuture;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.StructType;
import tidegate.javaapi.AsyncCall;
import tidegate.javaapi.AsyncOptions;
import tidegate.javaapi.Tidegate;

/** Asks a service, which this program only pretends to have, for the prices of orders. */
public final class Prices {

  private static final StructType SCHEMA =
      StructType.fromDDL("order_id long, price long, call string");

  private Prices() {}

  /** The price of each order, and the key of the call. Order 13 has none. */
  public static Dataset<Row> of(Dataset<Row> orders, AsyncOptions options) {
    AsyncCall price =
        (row, key) ->
            CompletableFuture.supplyAsync(() -> ask(row.getLong(0)))
                .thenApply(
                    found ->
                        RowFactory.create(
                            row.getLong(0), found, key.partition() + "-" + key.row()));
    return Tidegate.mapAsync(orders, SCHEMA, options, price);
  }

  private static long ask(long order) {
    if (order == 13) {
      throw new IllegalArgumentException("order 13 has no price");
    }
    return order * 10;
  }
}
