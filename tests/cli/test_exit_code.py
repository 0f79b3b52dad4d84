"""Which failures of the load end a run with exit code 1."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from igen.cli.exit_code import check_load, failures_of_load
from igen.errors import IgenError
from igen.judge import result_of
from igen.judge.result import Level, Result
from igen.judge.trust.finding import finding
from tests.judge.synthetic import one_system, recording
from tests.said import say

FAILED = finding("errors", share_percent=17.0, limit=0.1, unit="percent")


def result(*purposes: str, failed: tuple[int, ...]) -> Result:
    """A curve of levels, some of which failed; the purpose is that of each level's executions."""
    system = one_system(recording(level=number, users=1 + number) for number in range(len(purposes)))
    levels = [
        _marked(level, purpose, level.level in failed)
        for level, purpose in zip(system.levels, purposes, strict=True)
    ]
    return result_of([replace(system, levels=levels)], "")


def _marked(level: Level, purpose: str, failed: bool) -> Level:
    found = [FAILED] if failed else []
    repeats = [replace(repeat, purpose=purpose, findings=found) for repeat in level.repeats]
    return replace(level, repeats=repeats)


@pytest.mark.parametrize(
    ("purposes", "failed", "told"),
    [
        (("sweep", "sweep"), (), []),
        (("sweep", "sweep"), (1,), ["2 users"]),
        (("search", "search", "search"), (2,), []),
        (("search", "search", "search"), (1, 2), []),
        (("search", "search", "search"), (1,), ["2 users"]),
        (("search", "confirm", "search"), (1, 2), ["2 users"]),
    ],
)
def test_a_search_may_fail_at_its_upper_end(
    purposes: tuple[str, ...], failed: tuple[int, ...], told: list[str]
) -> None:
    found = [where.rpartition(", ")[2] for where, _ in failures_of_load(result(*purposes, failed=failed))]
    assert found == told


def test_a_failure_says_where_why_and_what_to_do() -> None:
    with pytest.raises(IgenError, match=re.escape(f"the load failed: {say(FAILED)}")) as caught:
        check_load(result("sweep", failed=(0,)), "20260101-run", strict=False)
    assert caught.value.where.endswith(", 1 user")
    assert caught.value.hint == "`igen show 20260101-run` shows the reasons"
