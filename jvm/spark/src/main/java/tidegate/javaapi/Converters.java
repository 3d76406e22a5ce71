package tidegate.javaapi;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Turns Java's values into Scala's and back, and durations into texts. */
final class Converters {

  private static final int NANOS_PER_MS = 1_000_000;
  private static final int NANO_DIGITS = 9;

  private Converters() {}

  static <T> Seq<T> seq(List<T> list) {
    return CollectionConverters.asScala(list).toSeq();
  }

  static Seq<String> seq(String... texts) {
    return seq(Arrays.asList(texts));
  }

  static <S, J> List<J> list(Seq<S> seq, Function<S, J> toJava) {
    return CollectionConverters.asJava(seq).stream().map(toJava).toList();
  }

  /** A map that is sorted by its names. */
  static <S, J> Map<String, J> map(
      scala.collection.immutable.Map<String, S> map, Function<S, J> toJava) {
    Map<String, J> sorted = new TreeMap<>();
    CollectionConverters.asJava(map)
        .forEach((name, value) -> sorted.put(name, toJava.apply(value)));
    return sorted;
  }

  static <T> Optional<T> optional(Option<T> option) {
    return Optional.ofNullable(option.isEmpty() ? null : option.get());
  }

  /** A number or a boolean, whose class Scala does not tell Java. */
  static <T> Optional<T> optional(Option<Object> option, Class<T> type) {
    return optional(option).map(type::cast);
  }

  /** The text of a duration; the builders refuse null, and what is not in whole milliseconds. */
  static String text(Duration duration) {
    if (duration == null || duration.getNano() % NANOS_PER_MS != 0) {
      return String.valueOf(duration);
    }
    BigDecimal nanos = BigDecimal.valueOf(duration.getNano(), NANO_DIGITS);
    BigDecimal seconds = BigDecimal.valueOf(duration.getSeconds()).add(nanos);
    return seconds.stripTrailingZeros().toPlainString() + " seconds";
  }
}
