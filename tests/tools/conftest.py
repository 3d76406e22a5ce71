"""A shell in an empty folder, for the commands of the page on SQL tools."""

from pathlib import Path

import pytest

from tools.shell import Shell


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """Return a shell in a folder that is empty but for settings."""
    return Shell(tmp_path)
