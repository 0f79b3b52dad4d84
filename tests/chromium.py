"""Chromium of the distribution, for tests of pages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.needed import missing

if TYPE_CHECKING:
    from playwright.sync_api import Browser

CHROMIUM = Path("/usr/bin/chromium")
PATIENCE_MS = 300_000.0
"""How long a page may take: the analysis of the console lets all others go first, such as other tests."""


def expect(shown: Any) -> Any:
    """What Playwright asserts of a page or a part of it: waits until it is so.

    A click does not wait for the page that it leads to, nor a page for what its script does later.
    """
    from playwright.sync_api import expect as waiting

    waiting.set_options(timeout=PATIENCE_MS)
    return waiting(shown)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Chromium as the distribution has it. Skips where it is missing.

    Playwright keeps an event loop running for as long as this lasts: it must end before other tests of the
    same process begin one.
    """
    if not CHROMIUM.exists():
        missing("no Chromium: tests/install-servers gets it")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("no Playwright: pip install --group browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()
