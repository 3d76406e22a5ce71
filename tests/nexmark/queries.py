"""The queries of Nexmark, as they are written for Tidegate.

A text is over the streams `person`, `auction` and `bid`, and the table `side`. The batch result of
the same text over the same rows as tables says what is right.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Query:
    """A query, by its number in Nexmark."""

    name: str
    text: str
    """With `{longest}` for the time that an auction is open, at most."""
    keys: tuple[str, ...] = ()
    """In output mode update, the columns of which the last row counts; none in append."""
    spark: str | None = None
    """What Spark runs in place of the text; nothing if it has no form of the query."""
    flink: str | None = None
    """What Flink SQL runs in place of the text, likewise."""
    keys_of_flink: tuple[str, ...] = ()
    """As `keys`, where Flink updates rows that Tidegate writes once."""
    by_clock: bool = False
    """Whether the windows are those of the wall clock, so that only the sum of bids is known."""


def _day(names: str) -> str:
    """Return distinct counts, in all and in three ranges of prices."""
    ranges = ["price < 10000", "price >= 10000 AND price < 1000000", "price >= 1000000"]
    counts = [f"count({n})" for n in ("*", "DISTINCT bidder", "DISTINCT auction")]
    columns = [
        f"{count} FILTER (WHERE {condition}) AS c{i}{j}"
        for i, count in enumerate(counts)
        for j, condition in enumerate(["true", *ranges])
    ]
    return (
        f"SELECT {names}window_start, {', '.join(columns)} "
        "FROM TABLE(TUMBLE(TABLE bid, DESCRIPTOR(dateTime), INTERVAL '1' DAY)) "
        f"GROUP BY {names}window_start, window_end"
    )


def _parts(function: str, first: int) -> str:
    """Return three parts of the URL, by a function that counts from 1 or from 0."""
    parts = [f"{function}(url, '/', {first + i}) AS dir{i + 1}" for i in range(3)]
    return f"SELECT auction, bidder, price, {', '.join(parts)} FROM bid"


_FINAL = """
    SELECT a.id, a.category, a.seller, a.dateTime, max_by(struct(b.bidder, b.price),
      struct(b.price, -unix_micros(b.dateTime), b.bidder)) AS won
    FROM auction a JOIN bid b ON a.id = b.auction AND b.dateTime BETWEEN a.dateTime AND a.expires
      AND b.dateTime <= a.dateTime + INTERVAL {longest} SECONDS
    GROUP BY a.id, a.category, a.seller, a.dateTime"""

_BIDS_OF_AUCTION = """
    FROM auction a JOIN bid b ON a.id = b.auction AND b.dateTime BETWEEN a.dateTime AND a.expires"""


def _hot(size_and_slide: str) -> str:
    """Return the auctions with the most bids in windows that overlap."""
    counts = f"""
        SELECT auction, window_start, window_end, count(*) AS num
        FROM TABLE(HOP(TABLE bid, DESCRIPTOR(dateTime), {size_and_slide}))
        GROUP BY auction, window_start, window_end"""
    return (
        f"SELECT c.auction, c.num, c.window_end FROM ({counts}) c JOIN (SELECT window_start, "
        f"window_end, max(num) AS most FROM ({counts}) GROUP BY window_start, window_end) m ON "
        "c.window_start = m.window_start AND c.window_end = m.window_end AND c.num = m.most"
    )


_TEN_SECONDS = "TABLE(TUMBLE(TABLE {}, DESCRIPTOR(dateTime), INTERVAL '10' SECOND))"

_SESSIONS = """
    SELECT bidder, count(*) AS bids, window_start, window_end FROM TABLE(SESSION(
      TABLE bid PARTITION BY bidder, DESCRIPTOR(dateTime), INTERVAL '10' SECOND))
    GROUP BY bidder, window_start, window_end"""

_DAYS = "date_format(dateTime, 'yyyy-MM-dd')"


def _same(name: str, text: str) -> Query:
    """Return a query that all sides have in the same words."""
    return Query(name, text, spark=text, flink=text)


def _as_flink(name: str, text: str, keys: tuple[str, ...] = ()) -> Query:
    """Return a query that Tidegate and Flink have in the same words, and Spark has not."""
    return Query(name, text, keys, flink=text)


ALL = [
    _same("q0", "SELECT auction, bidder, price, dateTime, extra FROM bid"),
    _same("q1", "SELECT auction, bidder, 0.908 * price AS price, dateTime, extra FROM bid"),
    _same("q2", "SELECT auction, price FROM bid WHERE auction % 123 = 0"),
    _same(
        "q3",
        "SELECT p.name, p.city, p.state, a.id FROM auction a JOIN person p ON a.seller = p.id "
        "WHERE a.category = 10 AND p.state IN ('OR', 'ID', 'CA')",
    ),
    Query(
        "q4",
        "SELECT category, avg(final) AS average FROM (SELECT max(b.price) AS final, a.category "
        "FROM auction a JOIN bid b ON a.id = b.auction AND b.dateTime BETWEEN a.dateTime AND "
        "a.expires AND b.dateTime <= a.dateTime + INTERVAL {longest} SECONDS "
        "GROUP BY a.id, a.category, a.dateTime) GROUP BY category",
        keys=("category",),
        flink="SELECT category, avg(CAST(most AS DOUBLE)) AS average FROM (SELECT max(b.price) AS "
        f"most, a.category {_BIDS_OF_AUCTION} GROUP BY a.id, a.category) GROUP BY category",
    ),
    Query(
        "q5",
        _hot("INTERVAL '10' SECOND, INTERVAL '2' SECOND"),
        flink=_hot("INTERVAL '2' SECOND, INTERVAL '10' SECOND"),
    ),
    Query(
        "q6",
        "SELECT seller, avg(won.price) OVER (PARTITION BY seller ORDER BY dateTime ROWS BETWEEN 10 "
        f"PRECEDING AND CURRENT ROW) AS average FROM ({_FINAL})",
    ),
    _as_flink(
        "q7",
        "SELECT b.auction, b.price, b.bidder, b.dateTime FROM bid b JOIN (SELECT max(price) AS "
        f"most, window_time FROM {_TEN_SECONDS.format('bid')} "
        "GROUP BY window_start, window_end, window_time) m ON b.price = m.most AND b.dateTime "
        "BETWEEN m.window_time - INTERVAL '9.999' SECOND AND m.window_time",
    ),
    _as_flink(
        "q8",
        "SELECT p.id, p.name, p.window_start FROM "
        f"(SELECT id, name, window_start, window_end FROM {_TEN_SECONDS.format('person')} "
        "GROUP BY id, name, window_start, window_end) p "
        f"JOIN (SELECT seller, window_start, window_end FROM {_TEN_SECONDS.format('auction')} "
        "GROUP BY seller, window_start, window_end) a ON p.id = a.seller AND "
        "p.window_start = a.window_start AND p.window_end = a.window_end",
    ),
    Query(
        "q9",
        _FINAL,
        flink="SELECT id, category, seller, dateTime, CAST(ROW(bidder, price) AS ROW<bidder "
        "BIGINT, price BIGINT>) AS won FROM (SELECT a.id, a.category, a.seller, a.dateTime, "
        "b.bidder, b.price, ROW_NUMBER() OVER (PARTITION BY a.id ORDER BY b.price DESC, "
        f"b.dateTime, b.bidder DESC) AS n {_BIDS_OF_AUCTION}) WHERE n <= 1",
        keys_of_flink=("id",),
    ),
    _same(
        "q10",
        f"SELECT auction, bidder, price, dateTime, extra, {_DAYS} AS dt, "
        "date_format(dateTime, 'HH:mm') AS hm FROM bid",
    ),
    Query(
        "q11",
        _SESSIONS,
        flink=_SESSIONS,
        spark="SELECT bidder, count(*) AS bids, session_window.start AS window_start, "
        "session_window.end AS window_end FROM bid GROUP BY bidder, "
        "session_window(dateTime, '10 seconds')",
    ),
    Query(
        "q12",
        "SELECT bidder, count(*) AS bids, window_start, window_end FROM TUMBLE(TABLE(SELECT *, "
        "PROCTIME() AS p_time FROM bid), DESCRIPTOR(p_time), INTERVAL '10' SECOND) "
        "GROUP BY bidder, window_start, window_end",
        keys=("bidder", "window_start"),
        by_clock=True,
    ),
    Query(
        "q13",
        "SELECT b.auction, b.bidder, b.price, b.dateTime, s.value FROM bid b JOIN side FOR "
        "SYSTEM_TIME AS OF PROCTIME() AS s ON b.auction % 10000 = s.key",
        spark="SELECT b.auction, b.bidder, b.price, b.dateTime, s.value FROM bid b JOIN side s ON "
        "b.auction % 10000 = s.key",
    ),
    _same(
        "q14",
        "SELECT auction, bidder, 0.908 * price AS price, CASE WHEN hour(dateTime) BETWEEN 8 AND 18 "
        "THEN 'day' WHEN hour(dateTime) <= 6 OR hour(dateTime) >= 20 THEN 'night' ELSE 'other' END "
        "AS part_of_day, dateTime, char_length(extra) - char_length(replace(extra, 'a', '')) AS "
        "letters FROM bid "
        "WHERE 0.908 * price > 1000000 AND 0.908 * price < 50000000",
    ),
    _as_flink("q15", _day("")),
    _as_flink("q16", _day("channel, ")),
    _as_flink(
        "q17",
        f"SELECT auction, {_DAYS} AS dt, count(*) AS total, count(*) FILTER (WHERE price < 10000) "
        "AS low, count(*) FILTER (WHERE price >= 1000000) AS high, min(price) AS least, max(price) "
        "AS most, avg(CAST(price AS DOUBLE)) AS average, sum(price) AS price FROM bid "
        f"GROUP BY auction, {_DAYS}",
        keys=("auction", "dt"),
    ),
    _as_flink(
        "q18",
        "SELECT auction, bidder, price, dateTime FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY "
        "bidder, auction ORDER BY dateTime DESC, price DESC) AS n FROM bid) WHERE n <= 1",
        keys=("bidder", "auction"),
    ),
    _as_flink(
        "q19",
        "SELECT * FROM (SELECT auction, bidder, price, dateTime, ROW_NUMBER() OVER (PARTITION BY "
        "auction ORDER BY price DESC, dateTime, bidder) AS n FROM bid) WHERE n <= 10",
        keys=("auction", "n"),
    ),
    _same(
        "q20",
        "SELECT b.auction, b.bidder, b.price, b.url, a.itemName, a.seller FROM bid b JOIN auction "
        "a ON b.auction = a.id WHERE a.category = 10",
    ),
    _same(
        "q21",
        "SELECT auction, bidder, price, channel, CASE lower(channel) WHEN 'apple' THEN '0' WHEN "
        "'google' THEN '1' WHEN 'facebook' THEN '2' WHEN 'baidu' THEN '3' ELSE "
        "nullif(regexp_extract(url, '(&|^)channel_id=([^&]*)', 2), '') END AS channel_id FROM bid",
    ),
    Query(
        "q22",
        _parts("split_part", 4),
        spark=_parts("split_part", 4),
        flink=_parts("split_index", 3),
    ),
    _same(
        "q23",
        "SELECT b.auction, b.bidder, b.price, a.itemName, p.name FROM bid b JOIN auction a ON "
        "b.auction = a.id JOIN person p ON a.seller = p.id",
    ),
]
