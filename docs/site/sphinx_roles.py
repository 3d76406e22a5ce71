"""An extension of Griffe: references in docstrings, such as :func:`name`, become links."""

import re
from typing import Any

from griffe import Extension, Object

_ROLE = re.compile(r":(?:func|class):`([A-Za-z_.]+)`")
_LITERAL = re.compile(r"``([^`]+)``")


class SphinxRoles(Extension):
    """Writes roles and literals of reStructuredText as Markdown, before docstrings are parsed."""

    def on_object(self, *, obj: Object, **kwargs: Any) -> None:
        """Rewrite the docstring of a module, class, function or attribute."""
        if obj.docstring is not None:
            obj.docstring.value = markdown(obj.docstring.value)


def markdown(docstring: str) -> str:
    """Write links to Tidegate's own names; other names, such as PySpark's, are code."""
    return _LITERAL.sub(r"`\1`", _ROLE.sub(_link, docstring))


def _link(role: re.Match[str]) -> str:
    name = role[1].removeprefix("tidegate.")
    return f"`{name}`" if "." in name else f"[`{name}`][tidegate.{name}]"
