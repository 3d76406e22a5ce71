"""The files of a run, beside those of the queries."""

EVENTS = "events.jsonl"
WRITTEN = "written.csv"
PICTURE = "soak.png"
QUERY_LOG = "query.log"
BROKER = "broker"
