"""A recording with more pages than a scenario may have is refused before it costs much, and no other is."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from igen.console.recorded import Made, Wanted, made_of
from igen.errors import InputError
from igen.har import correlate
from igen.har.convert import MOST_OPERATIONS
from tests.har.written import entry, har

MANY = 400
ITEMS = [f"/items/{sha256(bytes([number % 256, number // 256])).hexdigest()}" for number in range(MANY)]


def visits(paths: list[str], *, link: bool = False) -> list[dict[str, Any]]:
    """A click on each; the page before it has its link, or none has."""
    after = [*paths[1:], ""]
    texts = [f'<title>a</title><a href="{path}">next</a>' if link else "" for path in after]
    both = zip(paths, texts, strict=True)
    return [entry(4 * at, f"GET {path}", text) for at, (path, text) in enumerate(both)]


def made(folder: Path, entries: list[dict[str, Any]]) -> Made:
    file = folder / "recorded.har"
    file.write_text(json.dumps(har(*entries)), encoding="utf-8")
    return made_of(file, Wanted("many"), 0)


def test_too_many_pages_are_refused_after_as_many_as_there_may_be(tmp_path: Path) -> None:
    with (
        mock.patch.object(correlate, "may_tell", wraps=correlate.may_tell) as held_against,
        pytest.raises(InputError, match=f"more than {MOST_OPERATIONS} pages and requests"),
    ):
        made(tmp_path, visits(ITEMS))
    most = MOST_OPERATIONS // 2 + 1
    assert 0 < held_against.call_count <= most * most // 2


@pytest.mark.parametrize(
    ("entries", "pages"),
    [(visits(["/a", "/b"] * (MANY // 2)), 2), (visits(["/begin", *ITEMS], link=True), 3)],
    ids=["the same ones", "the same ones but for a value that the page before has told"],
)
def test_many_visits_of_few_pages_are_not(tmp_path: Path, entries: list[dict[str, Any]], pages: int) -> None:
    assert made(tmp_path, entries).pages == pages
