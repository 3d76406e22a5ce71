package tidegate.javaapi;

/**
 * A stage of a query: a watermark, an operator with state, or the whole query.
 *
 * @param stage its name
 * @param kind what it is
 * @param verdict {@code goes on}, {@code goes on with these windows affected}, {@code begins
 *     empty}, {@code removed} or {@code refused}
 * @param reason what a start would say of the stage; empty if it would say nothing
 */
public record StageVerdict(String stage, String kind, String verdict, String reason) {

  static StageVerdict of(tidegate.snapshot.StageVerdict stage) {
    return new StageVerdict(stage.stage(), stage.kind(), stage.verdict().text(), stage.reason());
  }
}
