"""The defaults of arguments. The Scala API has the same ones."""

KEY = 0
INGESTION_TIME = "timestamp"
IDLE_TIMEOUT = "60 seconds"
MAX_IDLE_LAG = "10 seconds"
TIMEOUT = "30 seconds"
MAX_IN_FLIGHT = 100
RETRIES = 2
BREAK_AFTER = 100
