"""A hook of MkDocs: the pages are files of the repository, where they are.

MkDocs knows pages of one folder. Here the path of a page is its path in the repository, so the
relative links of the Markdown files work in the repository and on the site, and MkDocs checks them.
The site has shorter addresses: `docs/sql.md` is at `sql/`, and `docs/index.md` at the top.
"""

from pathlib import Path, PurePosixPath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files, InclusionLevel

_SCALADOC = PurePosixPath("build/scaladoc")
"""Where the build puts the reference for Scala."""

_SCALADOC_ADDRESS = PurePosixPath("reference/scaladoc")


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Replace the files of `docs` by those of the repository; the theme's files stay."""
    root = Path(config.config_file_path).parent
    of_theme = [f for f in files if f.src_dir != config.docs_dir]
    of_docs = [f for f in files if f not in of_theme and f.inclusion != InclusionLevel.EXCLUDED]
    paths = [
        *(PurePosixPath("docs", file.src_uri) for file in of_docs),
        *(PurePosixPath(path) for path in config.extra["repository"]),
        *(
            PurePosixPath(file.relative_to(root).as_posix())
            for file in sorted((root / _SCALADOC).rglob("*"))
            if file.is_file() and not file.name.startswith(".")
        ),
    ]
    return Files([*of_theme, *(_file(root, path, config) for path in paths)])


def address(path: PurePosixPath) -> PurePosixPath:
    """Return which file of the site a file of the repository becomes."""
    if path.is_relative_to(_SCALADOC):
        return _SCALADOC_ADDRESS / path.relative_to(_SCALADOC)
    short = path.relative_to("docs") if path.is_relative_to("docs") else path
    if short.suffix != ".md":
        return short
    if short.stem in ("README", "index"):
        return short.with_name("index.html")
    return short.with_suffix("") / "index.html"


def _file(root: Path, path: PurePosixPath, config: MkDocsConfig) -> File:
    if not (root / path).is_file():
        raise PluginError(f"mkdocs.yml names {path} in extra.repository, but there is no such file")
    place = address(path).as_posix()
    return File(path.as_posix(), str(root), config.site_dir, True, dest_uri=place)
