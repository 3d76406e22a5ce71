package tidegate.javaapi;

import java.util.List;

/**
 * Whether a query can continue from a snapshot or a checkpoint.
 *
 * @param isCompatible whether the query starts
 * @param stages first the query itself, then its watermarks, then its operators
 */
public record Compatibility(boolean isCompatible, List<StageVerdict> stages) {

  static Compatibility of(tidegate.snapshot.Compatibility found) {
    return new Compatibility(
        found.isCompatible(), Converters.list(found.stages(), StageVerdict::of));
  }
}
