"""The browser of the system, for tests of pages."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


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


def keep(page: Page, name: str) -> None:
    """Keep what a page looks like, if a folder is named for that."""
    folder = os.environ.get("SCREENSHOTS")
    if folder:
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)
