"""The built site, served by a server of the tests, and a browser of the system."""

import functools
import shutil
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parent.parent.parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


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


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start the browser of the system."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("There is no browser: install Chromium, on Debian with apt install chromium.")
    with sync_playwright() as playwright:
        # Chromium's sandbox does not work for root, nor in most containers.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()
