package org.apache.spark.sql.tidegate

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.parser.{ParseException, PositionMapper}
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}

/** Positions in the user's text, for plans and errors that Spark makes from another text. */
object TextPositions {

  /**
   * Runs `body` so that everything it builds has positions in `original`.
   *
   * @param text
   *   the text that Spark was given; Spark may have put the values of parameters into it
   * @param place
   *   maps a character of `text` to its position in `original`
   * @param body
   *   takes a function that maps a character that Spark parses to its position in `original`
   */
  def within[T](text: String, original: String, place: Int => Int)(body: (Int => Int) => T): T = {
    val origin = CurrentOrigin.get
    val spark = origin.positionMapper.getOrElse(PositionMapper.identity(text))
    val mapper = new PositionMapper(original, spark.substitutedText, Nil) {
      override def mapToOriginal(position: Int): Int = place(spark.mapToOriginal(position))
    }
    CurrentOrigin.withOrigin(origin.copy(positionMapper = Some(mapper)))(body(mapper.mapToOriginal))
  }

  /** The same error, but with the text `original`. */
  def error(e: ParseException, original: String, start: Origin): ParseException =
    new ParseException(Some(original), start, e.getCondition, e.getMessageParameters.asScala.toMap)
}
