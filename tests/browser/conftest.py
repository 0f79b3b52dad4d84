from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from igen.store.notes import add_note
from tests.browser.console_process import ConsoleProcess
from tests.chromium import PATIENCE_MS
from tests.chromium import chromium as start_chromium
from tests.console.site import HOSTILE, hostile_run, site
from tests.own_ports import own_ports

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext


LONG = "z" * 200
"""A title that no line has room for."""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with start_chromium() as found:
        yield found


@pytest.fixture(scope="session")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConsoleProcess]:
    """A console over recorded runs, one of them with hostile words."""
    folder = tmp_path_factory.mktemp("console")
    made = site(folder / "runs")
    made.console.store.create_run(name="x", system="y" * 200, title=LONG, study={}).write_outcome("failed")
    add_note(hostile_run(made.console.folder), HOSTILE, HOSTILE)
    process = ConsoleProcess(folder / "runs", own_ports(), folder / "state")
    yield process
    assert process.end() == 0


@pytest.fixture(scope="session")
def session(console: ConsoleProcess) -> Any:
    """The cookies of somebody who has come in by the printed link."""
    with start_chromium() as browser:
        context = browser.new_context()
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        page.goto(console.link)
        page.wait_for_url(f"{console.base}/")
        return context.cookies()


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
        context.set_default_timeout(PATIENCE_MS)
        context.add_cookies(session)
        context.on("console", told)
        context.on("weberror", lambda error: faults.append(str(error.error)))
        contexts.append(context)
        return context

    yield make
    for context in contexts:
        context.close()
    assert not [fault for fault in faults if "status of 4" not in fault]
