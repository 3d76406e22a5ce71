"""Creates and fills topics, with the Kafka clients among the jars of Spark's connector."""

from typing import Any

from tidegate import _jvm

# A broker on this machine answers soon or never.
SETTINGS = {"request.timeout.ms": "10000", "delivery.timeout.ms": "30000"}

# A broker that does not lead a new partition yet refuses the first of two requests, and may accept
# the second: the first is then out of order until it expires.
ONE_REQUEST = {"max.in.flight.requests.per.connection": "1"}


class Client:
    """Creates topics, and writes records to their partitions."""

    def __init__(self, address: str, jvm: Any = None, **settings: str) -> None:
        """Connect to a broker; ``_`` in the name of a setting stands for ``.``.

        Without a py4j view of a JVM, use that of Spark, started with the connector.
        """
        jvm = _jvm.running() if jvm is None else jvm
        assert jvm is not None, "Spark must be started first"
        self._java: Any = jvm.java
        self._kafka: Any = jvm.org.apache.kafka.clients
        self._common: Any = jvm.org.apache.kafka.common
        joined = {**SETTINGS, **_dotted(settings), "bootstrap.servers": address}
        java_settings = self._java.util.HashMap(joined)
        text = self._common.serialization.StringSerializer
        self._admin: Any = self._kafka.admin.Admin.create(java_settings)
        self._sent: list[Any] = []
        java_settings.putAll(ONE_REQUEST)
        self._producer: Any = self._kafka.producer.KafkaProducer(java_settings, text(), text())

    def create(self, topic: str, partitions: int, **configs: str) -> None:
        """Create a topic; ``_`` in the name of a config stands for ``.``."""
        optional = self._java.util.Optional
        new = self._kafka.admin.NewTopic(topic, optional.of(partitions), optional.empty())
        self._admin.createTopics([new.configs(_dotted(configs))]).all().get()

    def extend(self, topic: str, partitions: int) -> None:
        """Add partitions to a topic until it has so many."""
        grown = self._kafka.admin.NewPartitions.increaseTo(partitions)
        self._admin.createPartitions({topic: grown}).all().get()

    def send(self, topic: str, partition: int, text: str) -> None:
        """Write a record; ``flush`` waits until it has arrived."""
        record = self._kafka.producer.ProducerRecord(topic, partition, None, text)
        self._sent.append(self._producer.send(record))

    def flush(self) -> None:
        """Wait until all records have arrived; raise the error of the first that fails."""
        sent, self._sent = self._sent, []
        self._producer.flush()
        for future in sent:
            future.get()

    def size(self, topic: str, partition: int) -> int:
        """Return how many records a partition has."""
        part = self._common.TopicPartition(topic, partition)
        latest = self._kafka.admin.OffsetSpec.latest()
        found = self._admin.listOffsets({part: latest}).partitionResult(part).get()
        return int(found.offset())

    def close(self) -> None:
        """Disconnect from the broker, without waiting for records that were not sent."""
        now = self._java.time.Duration.ZERO
        self._producer.close(now)
        self._admin.close(now)


def _dotted(settings: dict[str, str]) -> dict[str, str]:
    return {key.replace("_", "."): value for key, value in settings.items()}
