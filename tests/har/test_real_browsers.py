"""The recordings of real browsers: what the page says of each is so, and none holds a secret."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from checks import tree
from igen.har.convert import Options, convert
from tests.har import shop_recording, superset_recording, tryton_recording
from tests.har.test_accepted import accept

PAGE = tree.ROOT / "docs" / "guide" / "from-a-recording.md"
RECORDINGS = (
    shop_recording.write_shop_recording,
    tryton_recording.write_tryton_recording,
    superset_recording.write_superset_recording,
)
"""In the order of the page's columns."""
MOST_BYTES = 50_000


def rows() -> dict[str, list[str]]:
    """The page's table, by the first cell of each row."""
    cut = [line.strip("| \n").split(" | ") for line in PAGE.read_text(encoding="utf-8").splitlines()]
    return {first: cells for first, *cells in cut if len(cells) == len(RECORDINGS)}


@pytest.mark.parametrize(("column", "write"), list(enumerate(RECORDINGS)))
def test_the_page_tells_how_much_of_each_runs(
    column: int, write: Callable[[Path], Path], tmp_path: Path
) -> None:
    path = write(tmp_path / "recorded.har")
    found = convert(path, Options())
    accept(found)
    told = {name: cells[column] for name, cells in rows().items()}
    recorded = len(json.loads(path.read_text(encoding="utf-8"))["log"]["entries"])
    cached = found.left_out["from the browser's cache"]
    assert told["recorded"] == f"{recorded}, of which {cached} came out of the browser's cache"
    counts = f"{found.requests}, {found.pages}, {found.resources}"
    assert told["requests, pages, files that pages embed"] == counts
    assert told["values of the server, found"].startswith(f"{found.extracted}: ")
    assert told["left to look at"].partition(":")[0] == str(len(found.look_at))
    left_out = sum(len(page.remarks) for page in found.planned.pages)
    in_scenario = f"{found.requests} of {found.requests + left_out}"
    assert told["of their requests, in the scenario without an edit"] == in_scenario
    assert [each.variable for each in found.secrets] == ["IGEN_PASSWORD"]


@pytest.mark.parametrize(
    ("packed", "write"),
    [(tryton_recording.PACKED, RECORDINGS[1]), (superset_recording.PACKED, RECORDINGS[2])],
    ids=["tryton", "superset"],
)
def test_recordings_are_small_and_what_was_secret_is_made_up(
    packed: Path, write: Callable[[Path], Path], tmp_path: Path
) -> None:
    assert packed.stat().st_size < MOST_BYTES
    text = write(tmp_path / "recorded.har").read_text(encoding="utf-8")
    assert tryton_recording.PASSWORD not in text
    sessions = set(re.findall(r"session=(?:user\d+:\d+:)?([\w.-]{20,})", text))
    assert sessions
    assert all(each.startswith(("5c5c", "Im5c")) for each in sessions)
