# An image of Spark with Tidegate, for Kubernetes: docs/on-a-cluster.md. `make package` first.
ARG BASE=apache/spark:4.2.0-python3
FROM ${BASE}

# The minor version of the Spark in the base image.
ARG SPARK=4.2

USER root
COPY dist/tidegate-spark-${SPARK}_2.13-*.jar /opt/spark/jars/
COPY dist/tidegate-*.whl /tmp/
# Not the wheel's dependencies: the image has its own PySpark.
RUN pip3 install --no-cache-dir --no-deps /tmp/tidegate-*.whl && rm /tmp/tidegate-*.whl
USER spark
