"""The pictures of the guide, taken of the pages themselves; `IGEN_UPDATE_SNAPSHOTS=1` takes them anew."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

from checks import tree
from igen.store.notes import add_note, change_tags
from igen.store.run import Run
from tests.browser.console_process import ConsoleProcess
from tests.chromium import PATIENCE_MS
from tests.golden.recorded_run import unpack
from tests.own_ports import own_ports
from tests.pipeline.curve_study import write_curve

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.xdist_group("browser")
"""One browser and one console for all."""

IMAGES = tree.ROOT / "docs" / "images"
RECORDED = ("oltp-postgresql", "oltp-sqlite", "cpu", "http", "ldap-search", "bank-mariadb", "web")
PAGES = {
    "console-runs": ("/?q=after:2026-01-01", "light", 520),
    "console-new": ("/new?workload=model&users=1,2,4,8", "light", 700),
    "console-result": ("/runs/bank-mariadb", "dark", 640),
}
FIRST = "result"
"""The first picture of the README: as wide as that is shown."""
FIRST_SIZE = {"viewport": {"width": 1100, "height": 900}, "device_scale_factor": 0.75}
FIRST_UNIX_S = 1_795_256_100.0
FIRST_DAY = "2026-11-21"
MOST_BYTES = 120_000
MOST_DIFFERENT = 0.35
"""A picture of the guide may differ in size by this share: fonts are those of the machine."""


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """A store as one that has been used for a while."""
    for name in RECORDED:
        unpack(name, tmp_path / "igen-runs")
    change_tags(Run(tmp_path / "igen-runs" / "oltp-sqlite"), ["before-upgrade"])
    change_tags(Run(tmp_path / "igen-runs" / "http"), ["accepted", "q3"])
    add_note(Run(tmp_path / "igen-runs" / "http"), "with the new certificate", "Anna")
    return tmp_path / "igen-runs"


def curve(store: Path) -> Run:
    """A run with a peak, a knee and intervals: of the model, whose truth is known."""
    run = write_curve(
        store / "20261121-101500-counter-4f1c", levels=8, runs=3, seed=3, began_unix_s=FIRST_UNIX_S
    )
    changed = {"title": "A queue at a counter", "outcome": "complete"}
    run.write_record(msgspec.structs.replace(run.read_record(), **changed))
    return run


def same(page: Page, name: str, taken: Path) -> None:
    """Takes the picture, and holds it against the one that is known."""
    page.screenshot(path=taken)
    known = (IMAGES / f"{name}.png").stat().st_size
    assert known <= MOST_BYTES, name
    assert abs(taken.stat().st_size / known - 1) < MOST_DIFFERENT, name


def wish(page: Page, users: str) -> None:
    """Asks what would run, and once more where a busy machine could not say."""
    field, plan = page.locator('#wish [name="users"]'), page.locator("#plan")
    for _ in range(3):
        field.fill(users)
        with page.expect_request("**/new/check") as asked:
            field.dispatch_event("change")
        asked.value.response()  # None if the console is gone: the page says so
        plan.locator(f"#command:has-text('{users}'), #wrong, .banner").first.wait_for()
        if plan.locator("#command").count():
            return
    raise AssertionError(plan.inner_text())


# 20 s, and the layout of all pages is checked in test_layout.py.
@pytest.mark.slow
def test_the_pages_look_as_the_guide_shows_them(
    chromium: Browser, recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(recorded.parent)
    console = ConsoleProcess(Path("igen-runs"), own_ports(), tmp_path / "state")
    look: Callable[[str], str] = (
        (lambda name: str(IMAGES / f"{name}.png"))
        if os.environ.get("IGEN_UPDATE_SNAPSHOTS")
        else (lambda name: str(tmp_path / f"{name}.png"))
    )
    try:
        page = chromium.new_context().new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.goto(console.link)
        page.wait_for_url(f"{console.base}/")
        for name in RECORDED:  # judges them, so that the list has their peaks, and draws nothing
            answer = page.request.get(f"{console.base}/runs/{name}/levels.csv", timeout=PATIENCE_MS)
            assert answer.ok, name
        for name, (path, theme, height) in PAGES.items():
            page.emulate_media(color_scheme=theme)
            page.set_viewport_size({"width": 1100, "height": height})
            page.goto(f"{console.base}{path}")
            if name == "console-new":
                wish(page, "1,2,4,8,16")
                page.evaluate("scrollTo(0, 0)")
            same(page, name, Path(look(name)))
        context = chromium.new_context(**FIRST_SIZE)  # type: ignore[arg-type]
        context.add_cookies(page.context.cookies())  # type: ignore[arg-type]
        first = context.new_page()
        first.set_default_timeout(PATIENCE_MS)
        first.goto(f"{console.base}/runs/{curve(recorded).id}")
        assert set(re.findall(r"\d{4}-\d\d-\d\d", first.inner_text("main"))) == {FIRST_DAY}
        same(first, FIRST, Path(look(FIRST)))
    finally:
        console.end()
