package org.apache.spark.sql.tidegate

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, ObjectInputStream, ObjectOutputStream}
import java.util.Properties

import org.apache.spark.executor.TaskMetrics
import org.apache.spark.util.{AccumulatorContext, AccumulatorMetadata, AccumulatorV2}
import org.apache.spark.{TaskContext, TaskContextImpl}

/** A task without a Spark session, as accumulators see it. */
final class TestTask(onRegistration: AccumulatorV2[_, _] => Unit = _ => ()) {

  private val metrics = new TaskMetrics {
    override private[spark] def registerAccumulator(a: AccumulatorV2[_, _]): Unit = {
      super.registerAccumulator(a)
      onRegistration(a)
    }
  }

  /** Reads an accumulator as the executor does: it registers itself with this task. */
  def receive[T](sent: Array[Byte]): T = {
    TaskContext.setTaskContext(
      new TaskContextImpl(0, 0, 0, 0L, 0, 1, null, new Properties, null, metrics, 1)
    )
    try TestTask.read(sent)
    finally TaskContext.unset()
  }

  /** What a heartbeat does with the accumulators of a running task. */
  def heartbeat(): Seq[AccumulatorV2[_, _]] =
    metrics.accumulators().filterNot(_.isZero).filterNot(_.excludeFromHeartbeat)
}

object TestTask {

  /** The bytes of a registered accumulator of the driver. */
  def sent(accumulator: AccumulatorV2[_, _]): Array[Byte] = {
    accumulator.metadata = AccumulatorMetadata(AccumulatorContext.newId(), None, false)
    AccumulatorContext.register(accumulator)
    written(accumulator)
  }

  def written(o: AnyRef): Array[Byte] = {
    val bytes = new ByteArrayOutputStream
    val out = new ObjectOutputStream(bytes)
    out.writeObject(o)
    out.flush()
    bytes.toByteArray
  }

  def read[T](bytes: Array[Byte]): T =
    new ObjectInputStream(new ByteArrayInputStream(bytes)).readObject().asInstanceOf[T]
}
