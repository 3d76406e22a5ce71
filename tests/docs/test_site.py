"""The files of the built site: complete, with working links, and without any from elsewhere."""

import ast
import json
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
CONDITIONS = ROOT / "jvm/spark/src/main/resources/tidegate/error-conditions.json"

LOADED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src"}
"""Tags that make a browser load a file, and the attribute with its address."""

FOREIGN = re.compile(r"^(https?:)?//")
FOREIGN_IN_CSS = re.compile(r"""(?:url\(|@import)\s*["']?((?:https?:)?//[^"')\s]+)""")


class _Tags(HTMLParser):
    """Collects what a page loads, and its anchors."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take a tag."""
        values = dict(attrs)
        if (address := values.get(LOADED.get(tag, ""))) is not None:
            self.loaded.append(address)
        if (anchor := values.get("id")) is not None:
            self.anchors.add(anchor)


def _tags(page: Path) -> _Tags:
    return _Tags(page.read_text(encoding="utf-8"))


def test_pages_when_built_then_load_nothing_from_elsewhere(folder: Path) -> None:
    pages = sorted(folder.rglob("*.html"))
    assert len(pages) > 30
    foreign = {
        str(page.relative_to(folder)): [a for a in _tags(page).loaded if FOREIGN.match(a)]
        for page in pages
    }
    assert {page: found for page, found in foreign.items() if found} == {}


def test_styles_when_built_then_load_nothing_from_elsewhere(folder: Path) -> None:
    styles = sorted(folder.rglob("*.css"))
    assert styles
    foreign = {
        str(style.relative_to(folder)): FOREIGN_IN_CSS.findall(style.read_text(encoding="utf-8"))
        for style in styles
    }
    assert {style: found for style, found in foreign.items() if found} == {}


def test_errors_when_built_then_have_every_condition_with_its_text(folder: Path) -> None:
    page = folder / "errors" / "index.html"
    anchors = _tags(page).anchors
    html = page.read_text(encoding="utf-8")
    for name, condition in json.loads(CONDITIONS.read_text(encoding="utf-8")).items():
        assert {name, name.lower()} <= anchors
        section = html.partition(f'<a id="{name}">')[2].partition("<h3")[0]
        shown = re.sub(r"<[^>]*>", "", section).replace("&lt;", "<").replace("&gt;", ">")
        shown = shown.replace("&quot;", '"').replace("&amp;", "&")
        for text in (*condition["message"], condition["sqlState"], "Cause.", "Cure."):
            assert text.replace("`", "") in shown


def test_reference_when_built_then_has_every_public_name_of_the_package(folder: Path) -> None:
    module = ast.parse((ROOT / "python/tidegate/__init__.py").read_text(encoding="utf-8"))
    (names,) = (
        ast.literal_eval(statement.value)
        for statement in module.body
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "__all__"
    )
    page = folder / "reference" / "python" / "index.html"
    shown = {f"tidegate.{name}" for name in names if name != "__version__"}
    assert shown - _tags(page).anchors == set()
    # References are links, and not as they are written in docstrings.
    assert not re.search(":func:|:class:|``", page.read_text(encoding="utf-8"))


def test_reference_when_built_then_has_the_scaladoc(folder: Path) -> None:
    text = (folder / "reference/scaladoc/tidegate/index.html").read_text(encoding="utf-8")
    assert "KeyedTimeDataset" in text


def test_search_when_built_then_knows_every_page_of_docs(folder: Path) -> None:
    index = json.loads((folder / "search" / "search_index.json").read_text(encoding="utf-8"))
    known = {entry["location"].partition("#")[0] for entry in index["docs"]}
    pages = {f"{page.stem}/" for page in (ROOT / "docs").glob("*.md")} - {"index/"}
    assert pages - known == set()
    assert {"", "jvm/bench/", "CHANGELOG/", "CONTRIBUTING/"} <= known
    assert [page for page in known if page.startswith(("design/", "tests/", "jvm/spark"))] == []


def test_header_when_built_then_has_the_version(folder: Path) -> None:
    version = (ROOT / "version.txt").read_text().strip()
    assert f"Tidegate {version}" in (folder / "sql" / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("link", "mistake"),
    [
        ("[x](policies.md#nowhere)", "does not contain an anchor '#nowhere'"),
        ("[x](nowhere.md)", "the target 'docs/nowhere.md' is not found"),
        ("[x](../nowhere.txt)", "the target 'nowhere.txt' is not found"),
    ],
)
def test_build_when_a_link_is_broken_then_fails(tmp_path: Path, link: str, mistake: str) -> None:
    for path in ROOT.iterdir():
        if path.name not in ("docs", "build"):
            (tmp_path / path.name).symlink_to(path)
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "scaladoc").symlink_to(ROOT / "build" / "scaladoc")
    with (tmp_path / "docs" / "idleness.md").open("a", encoding="utf-8") as page:
        page.write(f"\n{link}\n")
    run = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert run.returncode != 0
    assert mistake in run.stderr
