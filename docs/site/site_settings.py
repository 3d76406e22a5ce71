"""A hook of MkDocs: the version in the header, what the search shows, and tables for phones."""

import html
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

FOR_DEVELOPERS = ("docs/design/", "tests/", "jvm/spark/", "jvm/spark-suites/")
"""Pages about how Tidegate is built: their words would hide the pages for users."""

FOR_SYMPTOMS = "docs/troubleshooting.md"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put the version behind the name of the site."""
    version = (Path(config.config_file_path).parent / "version.txt").read_text().strip()
    config.site_name = f"{config.site_name} {version}"
    return config


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Take pages for developers out of the search, and put that of symptoms first."""
    if page.file.src_uri.startswith(FOR_DEVELOPERS):
        page.meta["search"] = {"exclude": True}
    elif page.file.src_uri == FOR_SYMPTOMS:
        page.meta["search"] = {"boost": 3}
    return markdown


def on_page_content(content: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Give each cell the head of its column, which a phone shows above the cell."""
    return re.sub(r"<table>.*?</table>", _with_heads, content, flags=re.DOTALL)


def _with_heads(table: re.Match[str]) -> str:
    heads = [
        html.escape(html.unescape(re.sub("<[^>]*>", "", head)))
        for head in re.findall(r"<th[^>]*>(.*?)</th>", table[0], re.DOTALL)
    ]

    def row(match: re.Match[str]) -> str:
        column = iter(heads)

        def cell(start: re.Match[str]) -> str:
            head = next(column, "")
            return f'<td data-head="{head}"' if head else start[0]

        return re.sub(r"<td(?=[ >])", cell, match[0])

    return re.sub(r"<tr>.*?</tr>", row, table[0], flags=re.DOTALL)
