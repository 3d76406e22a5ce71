"""Keyed watermarks end to end, as a user of PySpark sees them."""

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import tidegate
from appended import check_arguments
from feeds import TIMES, Feed, counts, times
from tidegate.testing import StreamTest

LAGGING = [
    (("12:00:10", 0), ("11:50:10", 1)),
    (("12:01:10", 0), ("11:51:10", 1)),
    (("12:02:10", 0), ("11:52:10", 1)),
    (("12:03:10", 0), ("11:53:10", 1)),
    (("13:30:00", 0), ("13:30:00", 1)),
]
"""Partition 1 runs ten minutes behind partition 0; two rows an hour later end the feed."""

ALL = [
    *[("11:50", 1), ("11:51", 1), ("11:52", 1), ("11:53", 1)],
    *[("12:00", 1), ("12:01", 1), ("12:02", 1), ("12:03", 1)],
]


def lagging(feed: Feed) -> None:
    for rows in LAGGING:
        feed.add(*rows)


def keyed(rows: DataFrame) -> DataFrame:
    return tidegate.withKeyedWatermark(rows, "time", "5 seconds", substream="partition")


def test_lagging_substream_when_counted_in_windows_then_loses_no_rows(feed: Feed) -> None:
    lagging(feed)

    assert sorted(feed.run(counts(keyed(feed.stream())))) == ALL


def test_lagging_substream_when_under_sparks_watermark_then_loses_rows(feed: Feed) -> None:
    lagging(feed)

    rows = feed.run(counts(feed.stream().withWatermark("time", "5 seconds")))

    assert sorted(rows) == [row for row in ALL if row not in [("11:52", 1), ("11:53", 1)]]


def test_query_when_restarted_and_killed_after_every_batch_then_gives_the_rows_of_one_run(
    stream_test: StreamTest,
) -> None:
    query = stream_test.start(counts(keyed(stream_test.input("rows", TIMES))))

    for rows in LAGGING:
        stream_test.feed("rows", times(*rows))
        query.restart()
        query.kill()
        query.restart()

    query.assertEmitted(ALL)


def test_two_keys_when_on_one_stream_then_each_column_has_a_watermark_of_its_own(
    feed: Feed,
) -> None:
    lagging(feed)
    later = feed.stream().withColumn("later", F.expr("time + interval 1 hour"))
    first = tidegate.withKeyedWatermark(later, "time", "5 seconds", 1, name="first")
    both = tidegate.withKeyedWatermark(
        first, "later", "1 minute", 2, substream="partition", name="second"
    )

    query, rows = feed.run_query(counts(both, "later"))
    watermarks = tidegate.watermarks(query)

    assert sorted(rows) == [(f"{int(time[:2]) + 1}{time[2:]}", count) for time, count in ALL]
    assert {
        name: (node["key"], f"{node['watermark']:%H:%M:%S}")
        for name, node in watermarks.items()
        if node["kind"] == "watermark"
    } == {"first": (1, "13:29:55"), "second": (2, "14:29:00")}


def test_union_when_both_streams_have_the_key_then_the_slower_one_counts(feed: Feed) -> None:
    lagging(feed)
    fast = tidegate.withKeyedWatermark(
        feed.stream().where("partition = 0"), "time", "5 seconds", name="fast"
    )
    slow = tidegate.withKeyedWatermark(
        feed.stream().where("partition = 1"), "time", "5 seconds", name="slow"
    )

    assert sorted(feed.run(counts(fast.union(slow)))) == ALL


def test_method_and_transform_when_used_then_do_the_same_as_the_function(feed: Feed) -> None:
    lagging(feed)

    method = feed.stream().withKeyedWatermark("time", "5 seconds", substream="partition")
    transformed = feed.stream().transform(
        tidegate.withKeyedWatermark, "time", "5 seconds", substream="partition"
    )

    assert method.schema == transformed.schema
    assert method.dtypes == feed.stream().dtypes
    assert sorted(feed.run(counts(method))) == ALL


def test_batch_dataframe_when_given_a_watermark_then_stays_as_it_is(feed: Feed) -> None:
    lagging(feed)

    with_watermark = tidegate.withKeyedWatermark(
        feed.batch(), "time", "5 seconds", substream="partition"
    )

    assert with_watermark.sameSemantics(feed.batch())
    assert with_watermark.schema == feed.batch().schema
    assert sorted(with_watermark.collect()) == sorted(feed.batch().collect())


@pytest.mark.parametrize(
    "policy",
    [
        tidegate.fixedLag("5 seconds"),
        tidegate.limitingLagAndDelay("5 seconds", "1 hour"),
        tidegate.limitingLagAndLull("5 seconds", "1 hour"),
        tidegate.limitingTimestampAndWallClockLag("5 seconds", "36500 days"),
    ],
    ids=lambda policy: policy.name,
)
@pytest.mark.parametrize(
    "emission",
    [tidegate.byFrame("10 seconds", "1 second"), tidegate.byMinStep("1 second")],
    ids=lambda emission: emission.name,
)
def test_policy_and_emission_when_given_then_the_query_runs_with_them(
    stream_test: StreamTest, policy: tidegate.Policy, emission: tidegate.Emission
) -> None:
    rows = stream_test.input("rows", TIMES)
    result = tidegate.withKeyedWatermark(
        rows, "time", policy=policy, emission=emission, substream="partition"
    )
    query = stream_test.start(counts(result))

    for batch in LAGGING:
        stream_test.feed("rows", times(*batch))

    query.assertEmitted(ALL)


def test_ingestion_watermark_when_all_is_asked_of_it_then_each_argument_works(feed: Feed) -> None:
    check_arguments(feed)


def test_ingestion_watermark_when_parts_may_be_idle_then_the_plan_says_so(feed: Feed) -> None:
    keyed = tidegate.withIngestionWatermark(
        feed.stream(), "time", "1 minute", "time", idleTimeout="5 seconds", idleBehind="1 hour"
    )

    spec = keyed._jdf.queryExecution().analyzed().spec()

    assert spec.idleTimeoutMs().get() == 5_000
    assert spec.idleBehindMs().get() == 3_600_000
