package tidegate
package faults

import java.nio.file.Path
import java.util.concurrent.Executors

import scala.concurrent.duration.Duration
import scala.concurrent.{Await, ExecutionContext, Future}

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
    val store = StateStoreKind.all.find(_.name == args(0)).get
    val inputs = FaultInputs(Path.of(args(1)), Path.of(args(2)))
    val run = Path.of(args(3))
    val spark = KeyedStreamTest.session
    store.conf.foreach { case (key, value) => spark.conf.set(key, value) }
    if (ChildJvm.awaitStart()) {
      runAll(spark, inputs, run)
      // Not by the end of `main`: threads of Spark may live on.
      sys.exit(0)
    }
  }

  private def runAll(spark: SparkSession, inputs: FaultInputs, run: Path): Unit = {
    implicit val threads: ExecutionContext =
      ExecutionContext.fromExecutor(Executors.newCachedThreadPool())
    val running = FaultCase.of(run).filterNot(_.hasEnded(run)).map { kind =>
      Future(kind.run(spark, inputs, run))
    }
    try running.foreach(Await.result(_, Duration.Inf))
    catch {
      case e: Throwable =>
        e.printStackTrace()
        sys.exit(1)
    }
  }
}
