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
        "FROM TUMBLE(bid, DESCRIPTOR(dateTime), INTERVAL '1' DAY) "
        f"GROUP BY {names}window_start, window_end"
    )


_FINAL = """
    SELECT a.id, a.category, a.seller, a.dateTime, max_by(struct(b.bidder, b.price),
      struct(b.price, -unix_micros(b.dateTime), b.bidder)) AS won
    FROM auction a JOIN bid b ON a.id = b.auction AND b.dateTime BETWEEN a.dateTime AND a.expires
      AND b.dateTime <= a.dateTime + INTERVAL {longest} SECONDS
    GROUP BY a.id, a.category, a.seller, a.dateTime"""

_COUNTS = """
    SELECT auction, window_start, window_end, count(*) AS num
    FROM HOP(bid, DESCRIPTOR(dateTime), INTERVAL '10' SECOND, INTERVAL '2' SECOND)
    GROUP BY auction, window_start, window_end"""

_NEW = "TABLE({}), DESCRIPTOR(dateTime), INTERVAL '10' SECOND"

_DAYS = "date_format(dateTime, 'yyyy-MM-dd')"


def _same(name: str, text: str) -> Query:
    return Query(name, text, spark=text)


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
    ),
    Query(
        "q5",
        f"SELECT c.auction, c.num, c.window_end FROM ({_COUNTS}) c JOIN (SELECT window_start, "
        f"window_end, max(num) AS most FROM ({_COUNTS}) GROUP BY window_start, window_end) m ON "
        "c.window_start = m.window_start AND c.window_end = m.window_end AND c.num = m.most",
    ),
    Query(
        "q6",
        "SELECT seller, avg(won.price) OVER (PARTITION BY seller ORDER BY dateTime ROWS BETWEEN 10 "
        f"PRECEDING AND CURRENT ROW) AS average FROM ({_FINAL})",
    ),
    Query(
        "q7",
        "SELECT b.auction, b.price, b.bidder, b.dateTime FROM bid b JOIN (SELECT max(price) AS "
        "most, window_time FROM TUMBLE(bid, DESCRIPTOR(dateTime), INTERVAL '10' SECOND) "
        "GROUP BY window_start, window_end, window_time) m ON b.price = m.most AND b.dateTime "
        "BETWEEN m.window_time - INTERVAL 9999 MILLISECONDS AND m.window_time",
    ),
    Query(
        "q8",
        "SELECT p.id, p.name, p.window_start FROM "
        "(SELECT id, name, window_start, window_end FROM "
        f"TUMBLE({_NEW.format('SELECT * FROM person')}) "
        "GROUP BY id, name, window_start, window_end) p "
        "JOIN (SELECT seller, window_start, window_end FROM "
        f"TUMBLE({_NEW.format('SELECT * FROM auction')}) "
        "GROUP BY seller, window_start, window_end) a ON p.id = a.seller AND "
        "p.window_start = a.window_start AND p.window_end = a.window_end",
    ),
    Query("q9", _FINAL),
    _same(
        "q10",
        f"SELECT auction, bidder, price, dateTime, extra, {_DAYS} AS dt, "
        "date_format(dateTime, 'HH:mm') AS hm FROM bid",
    ),
    Query(
        "q11",
        "SELECT bidder, count(*) AS bids, window_start, window_end FROM SESSION(TABLE(SELECT * "
        "FROM bid) PARTITION BY bidder, DESCRIPTOR(dateTime), INTERVAL '10' SECOND) "
        "GROUP BY bidder, window_start, window_end",
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
        "AS at, dateTime, length(extra) - length(replace(extra, 'a', '')) AS letters FROM bid "
        "WHERE 0.908 * price > 1000000 AND 0.908 * price < 50000000",
    ),
    Query("q15", _day("")),
    Query("q16", _day("channel, ")),
    Query(
        "q17",
        f"SELECT auction, {_DAYS} AS day, count(*) AS total, count(*) FILTER (WHERE price < 10000) "
        "AS low, count(*) FILTER (WHERE price >= 1000000) AS high, min(price) AS least, max(price) "
        "AS most, avg(price) AS average, sum(price) AS sum FROM bid "
        f"GROUP BY auction, {_DAYS}",
        keys=("auction", "day"),
    ),
    Query(
        "q18",
        "SELECT auction, bidder, price, dateTime FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY "
        "bidder, auction ORDER BY dateTime DESC, price DESC) AS n FROM bid) WHERE n <= 1",
        keys=("bidder", "auction"),
    ),
    Query(
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
    _same(
        "q22",
        "SELECT auction, bidder, price, split_part(url, '/', 4) AS dir1, split_part(url, '/', 5) "
        "AS dir2, split_part(url, '/', 6) AS dir3 FROM bid",
    ),
    _same(
        "q23",
        "SELECT b.auction, b.bidder, b.price, a.itemName, p.name FROM bid b JOIN auction a ON "
        "b.auction = a.id JOIN person p ON a.seller = p.id",
    ),
]
