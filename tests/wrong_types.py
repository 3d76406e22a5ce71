"""Calls that a type checker has to refuse: an ignore too many is an error of `make lint`."""

from datetime import timedelta

from example_names import deliveries, events, orders, query

import tidegate


async def rated(order: object) -> dict[str, int]:
    """Return a row."""
    return {"rate": 1}


class Rates:
    """Returns rows, as a class or an object."""

    async def __call__(self, order: object) -> dict[str, int]:
        """Return a row."""
        return {"rate": 1}


orders.withKeyedWatermark("t", 5)  # type: ignore[arg-type]
orders.withKeyedWatermark("t", "5 seconds", idle_timeout="1 minute")  # type: ignore[call-arg]
orders.withKeyedWatermark("t", "5 seconds", 1, fast=True)  # type: ignore[call-arg]
orders.withKeyedWatermark("t", emission="1 minute")  # type: ignore[arg-type]
orders.withKeyedWatermark("t", allowedLateness=3)  # type: ignore[arg-type]
orders.orderByEventTime(partition_by="x")  # type: ignore[call-arg]
orders.streamJoin(deliveries, on="id", how="lft")  # type: ignore[arg-type]
orders.streamJoin(deliveries, on="id", between=("a", "b", "1 minute"))  # type: ignore[arg-type]
orders.asOfJoin(deliveries, on="id", how="right")  # type: ignore[arg-type]
events.mapAsync(lambda row: 1, "rate int")  # type: ignore[arg-type, return-value]
events.mapAsync(print, "rate int")  # type: ignore[arg-type]
events.mapAsync(dict, "rate int")  # type: ignore[arg-type]
events.mapAsync(rated, "rate int", onError="ignore")  # type: ignore[arg-type]
events.mapAsync(None, "rate int")  # type: ignore[arg-type]
tidegate.explainTime(orders)  # type: ignore[arg-type]
tidegate.watermarks(orders)  # type: ignore[arg-type]
tidegate.watermarks(query)["x"]["late"]  # type: ignore[typeddict-item]
tidegate.progress(query, last="5")  # type: ignore[arg-type]

# And what it has to take.
tidegate.explainTime(query).splitlines()
orders.withKeyedWatermark("t", timedelta(seconds=5))
orders.streamJoin(deliveries, on="id", how="left_anti")
orders.asOfJoin(deliveries, on="id", how="left", tolerance=timedelta(minutes=5))
events.mapAsync(rated, "rate int", onError="dead letter", deadLetters="/letters")
events.mapAsync(Rates, "rate int")
events.mapAsync(Rates(), "rate int")
