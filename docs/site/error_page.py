"""A hook of MkDocs: the page of errors has all conditions of the jar; other pages link to it."""

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

from error_conditions import PAGE, conditions, mistakes, with_texts

_FENCED = re.compile(r"(^ *```.*?^ *```$)", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"(?<!\[)`(TIDEGATE_[A-Z_]+)`")


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Complete the page of errors; elsewhere, make links of the names of conditions."""
    known = conditions(Path(config.config_file_path).parent)
    if page.file.src_uri == PAGE.as_posix():
        found = mistakes(markdown, known)
        if found:
            raise PluginError("\n".join(found))
        markdown = with_texts(markdown, known)
    target = posixpath.relpath(PAGE.as_posix(), posixpath.dirname(page.file.src_uri))

    def link(match: re.Match[str]) -> str:
        name = match[1]
        return f"[`{name}`]({target}#{name.lower()})" if name in known else match[0]

    parts = _FENCED.split(markdown)
    parts[::2] = [_NAME.sub(link, part) for part in parts[::2]]
    return "".join(parts)
