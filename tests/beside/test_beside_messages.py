"""Avro and Protobuf with the header of a schema registry, as the page tells to read them.

The bytes come from the libraries fastavro and protobuf. No registry runs: what a registry adds to a
message is the header, and what a query asks a registry for is the text of a schema.
"""

import importlib
import io
import json
from pathlib import Path
from typing import Any, ClassVar

import fastavro
import pytest
from google.protobuf import descriptor_pb2, timestamp_pb2
from pyspark.sql import SparkSession

from beside import pages
from beside.libraries import AVRO, Library
from beside.messages import LAGGING, Topic, at, header, times
from feeds import Feed, counts

TIME = {"name": "order_time", "type": {"type": "long", "logicalType": "timestamp-micros"}}
ID = {"name": "id", "type": "long"}
FIRST = {"type": "record", "name": "Order", "fields": [ID, TIME]}
SHOP = {"name": "shop", "type": "string", "default": "web"}
# The new field stands in the middle: read with the other schema, the bytes make no sense.
SECOND = {"type": "record", "name": "Order", "fields": [ID, SHOP, TIME]}
SCHEMAS = {7: FIRST, 70_000: SECOND}


def avro(number: int, order: dict[str, Any]) -> bytes:
    """Write an order with one of the schemas."""
    body = io.BytesIO()
    fastavro.schemaless_writer(body, SCHEMAS[number], order)
    return header(number) + body.getvalue()


PB2 = """
from google.protobuf import descriptor_pool, timestamp_pb2
from google.protobuf.internal import builder
DESCRIPTOR = descriptor_pool.Default().AddSerializedFile({file!r})
builder.BuildMessageAndEnumDescriptors(DESCRIPTOR, globals())
builder.BuildTopDescriptorsAndMessages(DESCRIPTOR, "orders_pb2", globals())
"""


def protobuf_file() -> bytes:
    """Return the file `orders.proto` as protoc describes it: `Order` is its second message."""
    file = descriptor_pb2.FileDescriptorProto(
        name="orders.proto",
        package="shop",
        syntax="proto3",
        dependency=[timestamp_pb2.DESCRIPTOR.name],
    )
    file.message_type.add(name="Customer")
    order = file.message_type.add(name="Order")
    field = descriptor_pb2.FieldDescriptorProto
    once = field.LABEL_OPTIONAL
    order.field.add(name="id", number=1, type=field.TYPE_INT64, label=once)
    order.field.add(
        name="order_time",
        number=2,
        type=field.TYPE_MESSAGE,
        type_name=".google.protobuf.Timestamp",
        label=once,
    )
    described: bytes = file.SerializeToString()
    return described


@pytest.fixture
def topic(spark: SparkSession, tmp_path: Path) -> Topic:
    """Return an empty topic."""
    folder = tmp_path / "topic"
    folder.mkdir()
    return Topic(spark, folder)


class TestMessages:
    """With the functions of `spark-avro`; Protobuf is decoded in Python."""

    libraries: ClassVar[list[Library]] = [AVRO]

    def test_avro_when_its_schema_changes_then_windows_equal_a_batch(
        self, extensions: str, topic: Topic, feed: Feed
    ) -> None:
        schemas = {number: json.dumps(schema) for number, schema in SCHEMAS.items()}
        seen = []
        for n, rows in enumerate(LAGGING):
            number = 7 if n < 2 else 70_000
            topic.add(
                [(p, avro(number, {"id": s, "order_time": at(s), "shop": "x"})) for p, s in rows]
            )
            # A deleted row, a schema that the query does not know, and plain text.
            topic.add([(0, None), (1, header(8) + b"?"), (0, b"{}")])
            page = pages.run("schema-registry.md", "Avro", messages=topic.stream(), schemas=schemas)
            assert page["orders"].columns == ["topic", "partition", "id", "shop", "order_time"]
            seen += feed.run(counts(page["orders"], "order_time"))

        assert sorted(seen) == sorted(
            tuple(row) for row in counts(topic.batch(times()), "order_time").collect()
        )
        assert len(seen) == 6

    def test_avro_files_when_read_as_a_stream_then_windows_equal_a_batch(
        self, extensions: str, spark: SparkSession, tmp_path: Path, feed: Feed
    ) -> None:
        folder = tmp_path / "files"
        folder.mkdir()
        seen = []
        for n, rows in enumerate(LAGGING):
            with (folder / f"{n}.avro").open("wb") as file:
                fastavro.writer(file, FIRST, [{"id": p, "order_time": at(s)} for p, s in rows])
            reader = spark.readStream.format("avro").schema("id LONG, order_time TIMESTAMP")
            orders = reader.load(str(folder)).withKeyedWatermark(
                "order_time", "0 seconds", substream="id"
            )
            seen += feed.run(counts(orders, "order_time"))

        files = spark.read.format("avro").load(str(folder)).where("hour(order_time) < 13")
        batch = [tuple(row) for row in counts(files, "order_time").collect()]
        assert sorted(seen) == sorted(batch)
        assert len(seen) == 6

    @pytest.mark.parametrize(
        "indexes",
        [b"\x00", b"\x02\x02", b"\x04\x02\x80\x01"],
        ids=["first", "second", "nested"],
    )
    def test_protobuf_when_the_header_has_indexes_then_windows_equal_a_batch(
        self,
        extensions: str,
        topic: Topic,
        feed: Feed,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        indexes: bytes,
    ) -> None:
        generated = tmp_path / "orders_pb2.py"
        generated.write_text(PB2.format(file=protobuf_file()))
        monkeypatch.syspath_prepend(str(tmp_path))
        topic.spark.sparkContext.addPyFile(str(generated))
        order = importlib.import_module("orders_pb2").Order
        seen = []
        for rows in LAGGING:
            bodies = [
                (p, order(id=s, order_time=timestamp(s)).SerializeToString()) for p, s in rows
            ]
            topic.add([(p, header(9) + indexes + body) for p, body in bodies])
            topic.add([(0, None), (1, b"{}")])
            page = pages.run("schema-registry.md", "Protobuf", messages=topic.stream())
            seen += feed.run(counts(page["orders"], "order_time"))

        batch = counts(topic.batch(times()), "order_time").collect()
        assert sorted(seen) == sorted(tuple(row) for row in batch)
        assert len(seen) == 6


def timestamp(second: int) -> timestamp_pb2.Timestamp:
    """Return a time as Protobuf has it."""
    stamp = timestamp_pb2.Timestamp()
    stamp.FromDatetime(at(second))
    return stamp
