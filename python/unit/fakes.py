"""Stand-ins for what lives on the JVM."""

import json
from typing import TYPE_CHECKING, Any

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql.types import StructType

if TYPE_CHECKING:
    from py4j.protocol import Py4JJavaError

NO_CLASS = "java.lang.ClassNotFoundException: tidegate.PythonFacade"


LETTER = (
    StructType()
    .add("key", StructType().add("batch", "long").add("partition", "integer").add("row", "long"))
    .add("function", "string")
    .add("error", "string")
    .add("attempts", "integer")
)

CALLS = (
    StructType()
    .add("tidegate_micros", "long")
    .add("tidegate_attempts", "integer")
    .add("tidegate_in_flight", "integer")
    .add("tidegate_failed", "boolean")
    .add("tidegate_dead_letter", LETTER)
)
"""What tells of calls, as plans/CallColumns has it; with dead letters, there are rows too."""


class FakeFacade:
    """Records the calls that would reach ``tidegate.PythonFacade``."""

    def __init__(self, watermarks: str = "{}") -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.json = watermarks

    def withWatermark(self, *arguments: Any) -> str:
        self.calls.append(arguments)
        return "a Java DataFrame with a watermark"

    def streamJoin(self, *arguments: Any) -> str:
        self.calls.append(arguments)
        return "a joined Java DataFrame"

    def asOfJoin(self, *arguments: Any) -> str:
        self.calls.append(arguments)
        return "a Java DataFrame joined as of a time"

    def orderByEventTime(self, *arguments: Any) -> str:
        self.calls.append(arguments)
        return "an ordered Java DataFrame"

    def adopt(self, *arguments: Any) -> int | None:
        self.calls.append(arguments)
        return 1000

    def release(self, *arguments: Any) -> int | None:
        self.calls.append(arguments)
        return None

    def asyncArguments(self, df: str, schema: str, timeout: str | None, on_error: str) -> str:
        self.calls.append((df, schema, timeout, on_error))
        fields = [{"name": "price", "type": "long", "nullable": True, "metadata": {}}]
        price = {"type": "struct", "fields": fields}
        return json.dumps({"schema": price, "timeoutMs": 1500, "calls": CALLS.jsonValue()})

    def mapAsync(self, *arguments: Any) -> str:
        self.calls.append(arguments)
        return "a Java DataFrame with the results of calls"

    def watermarks(self, query: Any) -> str:
        self.calls.append((query,))
        return self.json

    def progress(self, query: Any, last: int) -> str:
        self.calls.append((query, last))
        return self.json

    def explainTime(self, query: Any) -> str:
        self.calls.append((query,))
        return "The query `hourly` runs.\n\n`orders` is at 12:00."


class FakeJavaColumn:
    """A Java column that tells how it was made."""

    def __init__(self, text: str) -> None:
        self.text = text

    def toString(self) -> str:
        return self.text

    def __getattr__(self, name: str) -> Any:
        """Return the operator `name`, such as ``and``."""
        return lambda other: FakeJavaColumn(f"({self.text} {name} {other.text})")


class FakeJvm:
    """A JVM whose context class loader finds the facade, or fails with a Java exception."""

    def __init__(self, facade: FakeFacade | None = None, failure: str | None = None) -> None:
        self.java = self.lang = self.Thread = self
        self.facade = facade
        self.failure = failure

    def currentThread(self) -> "FakeJvm":
        return self

    def getContextClassLoader(self) -> "FakeJvm":
        return self

    def loadClass(self, name: str) -> "FakeJvm":
        assert name == "tidegate.PythonFacade"
        if self.failure is not None:
            raise java_error(self.failure)
        return self

    def newInstance(self) -> FakeFacade | None:
        return self.facade


class FakeConnectSession:
    """Records the statements that would reach a Spark Connect server."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any], DataFrame | None]] = []
        self.failure: Exception | None = None
        self.rows: list[Row] = []

    def sql(self, text: str, args: dict[str, Any], df: DataFrame | None = None) -> DataFrame:
        self.calls.append((text, args, df))
        if self.failure is not None:
            raise self.failure
        return FakeConnectDataFrame(self, "result")


class FakeConnectDataFrame(DataFrame):
    """A DataFrame of Spark Connect that tells how it was made."""

    __module__ = "pyspark.sql.connect.dataframe"

    def __new__(cls, session: FakeConnectSession, made_by: Any) -> "FakeConnectDataFrame":
        return object.__new__(cls)

    def __init__(self, session: FakeConnectSession, made_by: Any) -> None:
        self.session = session
        self.made_by = made_by

    @property
    def sparkSession(self) -> Any:
        return self.session

    def collect(self) -> list[Row]:
        return self.session.rows

    def join(self, other: Any, on: Any = None, how: Any = None) -> DataFrame:
        return FakeConnectDataFrame(self.session, ("join", self.made_by, other.made_by, on, how))

    def hint(self, name: str, *parameters: Any) -> DataFrame:
        return FakeConnectDataFrame(self.session, ("hint", name, self.made_by))


class FakeConnectColumn(Column):
    """A column of Spark Connect."""

    __module__ = "pyspark.sql.connect.column"

    def __new__(cls, text: str) -> "FakeConnectColumn":
        return object.__new__(cls)

    def __init__(self, text: str) -> None:
        self.text = text

    def __and__(self, other: Any) -> Column:
        """Join two conditions."""
        return FakeConnectColumn(f"({self.text} and {other.text})")


def java_error(text: str) -> "Py4JJavaError":
    """Return the error that py4j raises for a Java exception with this text."""
    from py4j.protocol import Py4JJavaError

    class JavaException:
        _target_id = "o1"
        _gateway_client = None

        def __str__(self) -> str:
            return text

    return Py4JJavaError("An error occurred", JavaException())
