"""Stand-ins for what lives on the JVM."""

from typing import Any

from py4j.protocol import Py4JJavaError

NO_CLASS = "java.lang.ClassNotFoundException: tidegate.PythonFacade"


class FakeFacade:
    """Records the calls that would reach ``tidegate.PythonFacade``."""

    def __init__(self, watermarks: str = "{}") -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.json = watermarks

    def withKeyedWatermark(self, *arguments: Any) -> str:
        self.calls.append(arguments)
        return "a Java DataFrame with a watermark"

    def streamJoin(self, *arguments: Any) -> str:
        self.calls.append(arguments)
        return "a joined Java DataFrame"

    def watermarks(self, query: Any) -> str:
        self.calls.append((query,))
        return self.json


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


def java_error(text: str) -> Py4JJavaError:
    """Return the error that py4j raises for a Java exception with this text."""

    class JavaException:
        _target_id = "o1"
        _gateway_client = None

        def __str__(self) -> str:
            return text

    return Py4JJavaError("An error occurred", JavaException())
