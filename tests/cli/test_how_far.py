from __future__ import annotations

from typing import Any

import pytest

from igen.cli.how_far import how_far
from igen.cli.step import _Progress

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
    progress = _Progress(shown=True)
    progress._live = live
    for each in (UNDER_WAY, LOADING | {"done": 1000}):
        progress.hear({"progress": each})
    assert capsys.readouterr().err == shown
