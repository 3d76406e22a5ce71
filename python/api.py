"""Prints the public Python API as text: `python python/api.py > python/api.txt`.

The unit tests compare the text with `api.txt`, so no name and no signature changes unnoticed.
"""

import inspect
from collections.abc import Iterator
from typing import Any, get_type_hints, is_typeddict

import tidegate
import tidegate.testing
from tidegate.dataframe import METHODS


def text() -> str:
    """Return all public names: those of the package, methods of DataFrame, and the test kit."""
    lines: list[str] = []
    for name in sorted(tidegate.__all__):
        lines += described(name, getattr(tidegate, name))
    lines += [f"DataFrame.{name} = {name}" for name in sorted(m.__name__ for m in METHODS)]
    for name in sorted(tidegate.testing.__all__):
        lines += [f"testing.{line}" for line in described(name, getattr(tidegate.testing, name))]
    return "\n".join(lines) + "\n"


def described(name: str, value: Any) -> Iterator[str]:
    """Describe a name in one line, or in one for each member of a class."""
    if inspect.isfunction(value):
        yield f"{name}{inspect.signature(value)}"
    elif not inspect.isclass(value):
        # The version differs from build to build; an alias is its types.
        yield name if isinstance(value, str) else f"{name} = {value}"
    elif value.__name__ != name:
        yield f"{name} = {value.__module__}.{value.__name__}"
    elif issubclass(value, BaseException):
        yield f"class {name}({', '.join(base.__name__ for base in value.__bases__)})"
    else:
        yield f"class {name}"
        for field, hint in get_type_hints(value).items():
            if not field.startswith("_"):
                yield f"{name}.{field}: {inspect.formatannotation(hint)}"
        if not is_typeddict(value):
            yield from methods(value)


def methods(owner: type) -> Iterator[str]:
    """Describe the public methods that a class defines itself."""
    for name, member in sorted(vars(owner).items()):
        if inspect.isfunction(member) and not name.startswith("_"):
            yield f"{owner.__name__}.{name}{inspect.signature(member)}"


if __name__ == "__main__":
    print(text(), end="")
