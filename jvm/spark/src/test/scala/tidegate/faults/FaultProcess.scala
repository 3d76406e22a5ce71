package tidegate
package faults

import java.nio.file.{Files, Path}
import java.util.concurrent.{Executors, Future}

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SparkSession

/** Runs queries beside each other, as far as they have not ended, until all have. */
object FaultProcess {

  def launch(store: StateStoreKind, inputs: FaultInputs, run: Path): ChildJvm = new ChildJvm(
    FaultProcess,
    Seq(store.name, inputs.left.toString, inputs.right.toString, run.toString),
    run.resolve("log"),
    memory = "3g"
  )

  def main(args: Array[String]): Unit = {
    val Array(storeName, left, right, folder) = args
    val store = StateStoreKind.all.find(_.name == storeName).get
    val (inputs, run) = (FaultInputs(Path.of(left), Path.of(right)), Path.of(folder))
    val spark = KeyedStreamTest.session
    store.conf.foreach { case (key, value) => spark.conf.set(key, value) }
    if (ChildJvm.awaitStart()) {
      runAll(spark, inputs, run, FaultCase.of(run))
      // Not by the end of `main`: threads of Spark may live on.
      sys.exit(0)
    }
  }

  private def runAll(spark: SparkSession, inputs: FaultInputs, run: Path, cases: Seq[FaultCase]): Unit = {
    val threads = Executors.newCachedThreadPool()
    val running: Seq[Future[_]] =
      cases.filterNot(_.hasEnded(run)).map(c => threads.submit(() => c.run(spark, inputs, run)))
    try running.foreach(_.get())
    catch {
      case e: Throwable =>
        e.printStackTrace()
        Runtime.getRuntime.halt(1)
    }
  }
}
