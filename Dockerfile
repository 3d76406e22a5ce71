# An image of Spark with Tidegate, for Kubernetes: docs/on-a-cluster.md. `make package` first.
ARG BASE=apache/spark:4.2.0-python3
FROM ${BASE}

# The minor version of the Spark in the base image.
ARG SPARK=4.2

USER root
COPY dist/tidegate-spark-${SPARK}_2.13-*.jar /opt/spark/jars/
COPY dist/tidegate-*.whl /tmp/
# The image has its own PySpark. Nothing else uses the Python of the system.
RUN PIP_BREAK_SYSTEM_PACKAGES=1 pip3 install --no-cache-dir --no-deps /tmp/tidegate-*.whl && rm /tmp/tidegate-*.whl
USER spark
