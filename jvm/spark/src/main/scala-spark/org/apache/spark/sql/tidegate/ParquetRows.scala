package org.apache.spark.sql.tidegate

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl
import org.apache.hadoop.mapreduce.{Job, JobID, TaskAttemptID, TaskID, TaskType}
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.spark.TaskContext
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.classic.ClassicConversions._
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.{OutputWriter, OutputWriterFactory}
import org.apache.spark.sql.types.{DataType, StructType}
import org.apache.spark.util.SerializableConfiguration

/** Writes Parquet files of one schema from within tasks, and counts their rows. */
final class ParquetRows private (
    factory: OutputWriterFactory,
    schema: StructType,
    conf: Broadcast[SerializableConfiguration]
) extends Serializable {

  /** The settings of the session. */
  def configuration: Configuration = conf.value.value

  /** A new file, in a task. */
  def open(file: Path): OutputWriter = {
    val task = TaskContext.get()
    val id = new TaskID(new JobID("tidegate", 0), TaskType.MAP, task.partitionId())
    factory.newInstance(
      file.toString,
      schema,
      new TaskAttemptContextImpl(configuration, new TaskAttemptID(id, task.attemptNumber()))
    )
  }

  /** The number of rows of a file that is written. */
  def count(file: Path): Long = {
    val reader = ParquetFileReader.open(HadoopInputFile.fromPath(file, configuration))
    try reader.getRecordCount
    finally reader.close()
  }
}

object ParquetRows {

  /** Whether Parquet files may have columns of a type. */
  def supports(dataType: DataType): Boolean = new ParquetFileFormat().supportDataType(dataType)

  def of(session: SparkSession, schema: StructType): ParquetRows = {
    val classic = castToImpl(session)
    val job = Job.getInstance(SparkInternals.hadoopConf(session))
    val factory = new ParquetFileFormat().prepareWrite(classic, job, Map.empty, schema)
    new ParquetRows(
      factory,
      schema,
      classic.sparkContext.broadcast(new SerializableConfiguration(job.getConfiguration))
    )
  }
}
