from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from igen.store.notes import add_note
from tests.browser.console_process import ConsoleProcess
from tests.console.site import HOSTILE, hostile_run, site
from tests.needed import missing
from tests.own_ports import own_ports

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext

CHROMIUM = Path("/usr/bin/chromium")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Chromium as the distribution has it. Skips where it is missing."""
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


@pytest.fixture(scope="session")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConsoleProcess]:
    """A console over recorded runs, one of them with hostile words."""
    folder = tmp_path_factory.mktemp("console")
    made = site(folder / "runs")
    add_note(hostile_run(made.console.folder), HOSTILE, HOSTILE)
    process = ConsoleProcess(folder / "runs", own_ports(), folder / "state")
    yield process
    assert process.end() == 0


@pytest.fixture(scope="session")
def session(chromium: Browser, console: ConsoleProcess) -> Any:
    """The cookies of somebody who has come in by the printed link."""
    context = chromium.new_context()
    page = context.new_page()
    page.goto(console.link)
    page.wait_for_url(f"{console.base}/")
    cookies = context.cookies()
    context.close()
    return cookies


@pytest.fixture
def visit(chromium: Browser, session: Any) -> Iterator[Any]:
    """Makes a browser that is logged in; a fault that it tells, such as of the policy, fails the test."""
    contexts: list[BrowserContext] = []
    faults: list[str] = []

    def told(said: Any) -> None:
        # What the report is refused is what its tests ask it for.
        if said.type == "error" and "/report" not in said.page.url:
            faults.append(said.text)

    def make(**options: Any) -> BrowserContext:
        context = chromium.new_context(**options)
        context.add_cookies(session)
        context.on("console", told)
        context.on("weberror", lambda error: faults.append(str(error.error)))
        contexts.append(context)
        return context

    yield make
    for context in contexts:
        context.close()
    assert not [fault for fault in faults if "status of 4" not in fault]
