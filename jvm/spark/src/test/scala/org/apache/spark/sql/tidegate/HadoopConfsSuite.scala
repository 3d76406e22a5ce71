package org.apache.spark.sql.tidegate

import org.apache.spark.sql.classic.SparkSession
import org.scalatest.funsuite.AnyFunSuite
import tidegate.KeyedStreamTest

/** What tasks have of Hadoop's configuration. */
class HadoopConfsSuite extends AnyFunSuite {

  test("a configuration is sent once, until it changes") {
    val session = KeyedStreamTest.session.newSession().asInstanceOf[SparkSession]
    val hadoop = session.sparkContext.hadoopConfiguration
    val first = HadoopConfs.broadcast(session)
    assert(HadoopConfs.broadcast(session) eq first)
    try {
      hadoop.set("tidegate.test.token", "new")
      val second = HadoopConfs.broadcast(session)
      assert(second.value.value.get("tidegate.test.token") === "new")
      assert(HadoopConfs.broadcast(session) eq second)
    } finally hadoop.unset("tidegate.test.token")
    session.conf.set("tidegate.test.other", "own")
    assert(HadoopConfs.broadcast(session).value.value.get("tidegate.test.other") === "own")
  }
}
