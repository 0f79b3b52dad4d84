"""What an execution came to, as far as it decides which one is next."""

from __future__ import annotations

from typing import Any

import pytest

from igen.judge.record.form import Message
from igen.study.reached import reached_by, spoils_level
from tests.judge.synthetic import one_system, recording

LOST = {"fleet.agents": 3, "fleet.lost": ["agent 2 of 3 on b was lost: it ended"]}


@pytest.mark.parametrize(
    ("said", "spoils"),
    [
        ({}, False),
        ({"facts": {"environment.concurrent_runs": 1}}, False),
        ({"facts": LOST}, False),
        ({"outcome": "failed", "errors": [Message("no such table")]}, True),
        ({"outcome": None, "signal": 9, "truncated": False}, False),
    ],
)
def test_a_run_whose_load_failed_spoils_its_level_whatever_others_do(
    said: dict[str, Any], spoils: bool
) -> None:
    assert spoils_level(recording(**said)) == spoils


@pytest.mark.parametrize(
    ("said", "measured"),
    [
        ({}, True),
        ({"outcome": "failed", "errors": [Message("no such table")]}, True),
        ({"facts": LOST}, False),
        ({"facts": LOST, "outcome": "failed", "errors": [Message("agent 2 lost")], "snapshots": []}, False),
        ({"outcome": "interrupted", "snapshots": []}, False),
        ({"outcome": None, "signal": 9, "truncated": False}, False),
        ({"outcome": None, "truncated": True}, False),
    ],
)
def test_a_run_that_nobody_ended_was_not_measured(said: dict[str, Any], measured: bool) -> None:
    made = recording(**said)
    reached = reached_by(made, one_system([made]).levels[0])
    assert (reached.unusable is None) == measured
    if not measured:
        assert reached.unusable is not None
        assert reached.unusable.row.run == "not measured"
        assert reached.throughput_per_s is None
