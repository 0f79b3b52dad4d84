from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from igen.cli.how_far import how_far
from igen.cli.step import StepProgress

LOADING: dict[str, Any] = {"text": "loading", "done": 400, "total": 1000, "unit": "rows"}
UNDER_WAY: dict[str, Any] = {"text": "under way", "done": 20, "total": 0, "unit": "s"}


@pytest.mark.parametrize(
    ("progress", "words"), [(LOADING, "loading: 400 of 1,000 rows"), (UNDER_WAY, "under way: 20 s")]
)
def test_how_far_a_step_is(progress: dict[str, Any], words: str) -> None:
    assert how_far(progress) == words


@pytest.mark.parametrize(
    ("live", "shown"),
    [
        (
            True,
            "\r[" + " " * 30 + "] under way: 20 s\r[" + "#" * 30 + "] loading: 1,000 of 1,000 rows\n",
        ),
        (False, "loading: 1,000 of 1,000 rows\n"),
    ],
)
def test_a_step_shows_its_end_once(live: bool, shown: str, capsys: pytest.CaptureFixture[str]) -> None:
    progress = StepProgress(shown=True)
    progress._live = live
    for each in (UNDER_WAY, LOADING | {"done": 1000}):
        progress.hear({"progress": each})
    assert capsys.readouterr().err == shown


@pytest.mark.parametrize("fails", [False, True])
def test_a_line_that_was_begun_is_ended(fails: bool, capsys: pytest.CaptureFixture[str]) -> None:
    bar = "\r[" + " " * 30 + "] under way: 20 s"
    with suppress(KeyboardInterrupt), StepProgress(shown=True) as progress:
        progress._live = True
        progress.hear({"progress": UNDER_WAY})
        progress.hear({"warning": {"text": "it is slow"}})
        progress.hear({"warning": {"text": "it is"}})
        progress.hear({"progress": UNDER_WAY})
        if fails:
            raise KeyboardInterrupt
    shown = f"{bar}\nigen: warning: it is slow\nigen: warning: it is\n{bar}\n"
    assert capsys.readouterr().err == shown
