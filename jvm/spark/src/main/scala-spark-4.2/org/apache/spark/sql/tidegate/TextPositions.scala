package org.apache.spark.sql.tidegate

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.catalyst.parser.{ParseException, PositionMapper}
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, Origin}

/** Makes positions refer to the text of the user where Spark parses another in its place. */
object TextPositions {

  /**
   * Lets what `body` builds have positions in `original`.
   *
   * @param text
   *   what Spark was given to parse; it may have put the values of parameters into it
   * @param place
   *   of each character of `text` the place in `original`
   * @param body
   *   is given the way from a character that Spark parses to its place in `original`
   */
  def within[T](text: String, original: String, place: Int => Int)(body: (Int => Int) => T): T = {
    val origin = CurrentOrigin.get
    val spark = origin.positionMapper.getOrElse(PositionMapper.identity(text))
    val mapper = new PositionMapper(original, spark.substitutedText, Nil) {
      override def mapToOriginal(position: Int): Int = place(spark.mapToOriginal(position))
    }
    CurrentOrigin.withOrigin(origin.copy(positionMapper = Some(mapper)))(body(mapper.mapToOriginal))
  }

  /** An error as one of another text. */
  def error(e: ParseException, original: String, start: Origin): ParseException =
    new ParseException(Some(original), start, e.getCondition, e.getMessageParameters.asScala.toMap)
}
