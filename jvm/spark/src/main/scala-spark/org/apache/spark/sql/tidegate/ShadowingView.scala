package org.apache.spark.sql.tidegate

import org.apache.spark.sql.{DataFrame, SparkSession, classic}

/** A temporary view in the place of one of the same name, if there is one, which comes back. */
final class ShadowingView(session: SparkSession, name: String) {
  private val catalog = session.asInstanceOf[classic.SparkSession].sessionState.catalog
  private val before = catalog.getRawTempView(name)

  def show(frame: DataFrame): Unit = frame.createOrReplaceTempView(name)

  def restore(): Unit = before match {
    case Some(view) => catalog.createTempView(name, view, overrideIfExists = true)
    case None       =>
      val _ = session.catalog.dropTempView(name)
  }
}
