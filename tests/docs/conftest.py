"""The built site, served by a server of the tests, and a browser of the system."""

import functools
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from browsers import browser  # noqa: E402

__all__ = ["browser"]


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@pytest.fixture(scope="session")
def folder() -> Path:
    """Return the folder of the site."""
    site = ROOT / "build" / "site"
    assert (site / "index.html").is_file(), "There is no site: run make docs."
    return site


@pytest.fixture(scope="session")
def site(folder: Path) -> Iterator[str]:
    """Serve the site, and return its address."""
    handler = functools.partial(_Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()
