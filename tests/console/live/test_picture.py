"""The picture of the guide, taken of the page itself; `IGEN_UPDATE_SNAPSHOTS=1` takes it anew."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from checks import tree
from igen.store.active import ActiveRun
from igen.store.run import Run
from igen.store.store import Store
from tests.chromium import PATIENCE_MS
from tests.console.live.serving import Serving
from tests.pipeline.curve_study import write_curve

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.xdist_group("browser")
PICTURE = tree.ROOT / "docs" / "images" / "console-live.png"
LEVELS = 6
SHOWN_S = 82.0
"""How long it has run, as its charts say."""
JUDGED = "() => document.querySelectorAll('#levels .verdict:not(.not-judged-yet)').length === 5"
POINTS = "() => document.getElementById('live').points().length > 60"
MOST_DIFFERENT = 0.35
"""A picture may differ in size by this share: fonts are those of the machine."""


def begun(run: Run) -> None:
    """Its record as that of a sweep that goes on."""
    record = run.read_record()
    study: dict[str, Any] = {**record.study, "plan": {"mode": "sweep", "repeats": 1}}
    study["axes"] = {"load.closed.users": list(range(1, LEVELS + 1))}
    changed = {"study": study, "title": "web shop on lab", "outcome": "begun"}
    run.write_record(msgspec.structs.replace(record, **changed))


# 12 s: tests/console/live/test_live_page.py reads what is on the page.
@pytest.mark.slow
def test_the_page_looks_as_the_guide_shows_it(browser: Browser, tmp_path: Path) -> None:
    folder = tmp_path / "igen-runs" / "20261121-101500-web-shop-4f1c"
    run = write_curve(folder, levels=LEVELS, runs=1, seed=3, began_unix_s=time.time() - SHOWN_S)
    begun(run)
    last = run.job_paths()[-1]
    lines = last.read_bytes().splitlines(keepends=True)
    last.unlink()
    taken = PICTURE if os.environ.get("IGEN_UPDATE_SNAPSHOTS") else tmp_path / PICTURE.name
    store = run.folder.parent
    with (
        ActiveRun(store, run.id),
        Serving(Store(store)) as serving,
        browser.new_context(viewport={"width": 1100, "height": 980}) as context,
    ):
        context.set_default_timeout(PATIENCE_MS)
        context.add_cookies([serving.cookie])  # type: ignore[list-item]
        page = context.new_page()
        page.goto(serving.url(f"/runs/{run.id}"))
        page.wait_for_function(JUDGED)
        last.write_bytes(b"".join(lines[: len(lines) // 2]))
        page.wait_for_function(POINTS)
        page.locator("#chart-throughput figcaption", has_text="01:2").wait_for()
        page.screenshot(path=taken)
    assert abs(taken.stat().st_size / PICTURE.stat().st_size - 1) < MOST_DIFFERENT
