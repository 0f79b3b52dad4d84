"""What a layout is held against tells what is gone, elsewhere or without its colour, and no more."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.browser.layout import KNOWN, PAGES, differences

KNOWN_PAGE: dict[str, Any] = {
    "boxes": {"h1": [100, 80, 600, 40]},
    "colours": {"dark": {"body": "rgb(0, 0, 0)"}},
}


@pytest.mark.parametrize(
    ("box", "colour", "told"),
    [
        ([100, 80, 600, 40], "rgb(0, 0, 0)", []),
        ([110, 100, 700, 60], "rgb(0, 0, 0)", []),
        ([100, 80, 760, 40], "rgb(0, 0, 0)", ["h1: [100, 80, 600, 40] became [100, 80, 760, 40]"]),
        ([100, 180, 600, 40], "rgb(0, 0, 0)", ["h1: [100, 80, 600, 40] became [100, 180, 600, 40]"]),
        (None, "rgb(0, 0, 0)", ["h1: [100, 80, 600, 40] became None"]),
        ([100, 80, 600, 40], "rgb(1, 0, 0)", ["body: rgb(0, 0, 0) became rgb(1, 0, 0)"]),
    ],
)
def test_what_stands_otherwise_is_told(box: list[int] | None, colour: str, told: list[str]) -> None:
    assert differences(KNOWN_PAGE, {"boxes": {"h1": box}, "colours": {"body": colour}}, "dark") == told


def test_a_part_that_was_not_there_is_told() -> None:
    found = {"boxes": {"h1": [100, 80, 600, 40], "svg": [0, 0, 9, 9]}, "colours": {"body": "rgb(0, 0, 0)"}}
    assert differences(KNOWN_PAGE, found, "dark") == ["svg: None became [0, 0, 9, 9]"]


def test_every_page_is_known_in_both_themes() -> None:
    known = json.loads(KNOWN.read_text(encoding="utf-8"))
    assert set(known) == set(PAGES)
    for page in known.values():
        assert page["colours"]["light"] != page["colours"]["dark"]
