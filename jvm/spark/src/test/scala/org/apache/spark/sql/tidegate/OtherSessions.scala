package org.apache.spark.sql.tidegate

import org.apache.spark.SparkContext
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.internal.StaticSQLConf.SPARK_SESSION_EXTENSIONS

/** Sessions with other extensions than those of the tests, on the same Spark context. */
object OtherSessions {

  /**
   * @param extensions
   *   the value of `spark.sql.extensions`
   * @param providers
   *   where Spark looks for extensions that come with a jar
   */
  def start(extensions: Seq[String], providers: ClassLoader): SparkSession = {
    val conf = SparkContext.getOrCreate().conf
    val before = conf.get(SPARK_SESSION_EXTENSIONS)
    val (default, active) = (SparkSession.getDefaultSession, SparkSession.getActiveSession)
    val thread = Thread.currentThread()
    val loader = thread.getContextClassLoader
    try {
      conf.set(SPARK_SESSION_EXTENSIONS, extensions)
      thread.setContextClassLoader(providers)
      SparkSession.builder().create()
    } finally {
      thread.setContextClassLoader(loader)
      before.fold[Unit](conf.remove(SPARK_SESSION_EXTENSIONS))(
        conf.set(SPARK_SESSION_EXTENSIONS, _)
      )
      default.foreach(SparkSession.setDefaultSession)
      active.fold(SparkSession.clearActiveSession())(SparkSession.setActiveSession)
    }
  }
}
