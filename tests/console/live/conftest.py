from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.needed import missing

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CHROMIUM = Path("/usr/bin/chromium")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium as the distribution has it. Skips where it is missing."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("no Playwright: pip install --group browser")
    if not CHROMIUM.exists():
        missing("no Chromium: tests/install-servers gets it")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()
