package org.apache.spark.sql.tidegate

/** What the parsers of later versions of Spark can do beside. */
trait LaterParsing
