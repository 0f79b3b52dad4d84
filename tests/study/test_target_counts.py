"""What targets count themselves: over MEASURE and nothing else, and nothing where it cannot be known."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from igen.facts import TARGET_CACHE_HITS as HITS
from igen.facts import TARGET_CACHE_MISSES as MISSES
from igen.facts.declaration import is_factor
from igen.monitors.watch import Watch
from igen.study.listener import JobListener
from igen.study.observer import Observer
from igen.study.surroundings import Surroundings
from igen.study.target_counts import Counts, CountsOverMeasure, no_counts

PHASES = ("ramp", "warmup", "measure", "drain")


def facts_of(*read: Counts | None) -> dict[str, Any]:
    """The facts of a job whose target counts so, one after the other when it is asked."""
    job = {"phases": {"measure_s": 1.0, "interval_s": 0.1}, "targets": ["http://127.0.0.1:9"]}
    answers = list(read)
    asked = []

    def counts(told: Mapping[str, Any]) -> Counts | None:
        asked.append(told["targets"])
        return answers.pop(0)

    writer = Mock(start={})
    surroundings = Surroundings(Watch(Path(sys.executable), lambda: False), counts)
    surroundings.begin(job, lambda _machines: None)
    listener = JobListener(writer, job, Mock(), Observer(), lambda _text: None, surroundings)
    for phase in PHASES:
        listener.event({"phase": {"phase": phase, "at_s": 0.0}})
    assert answers == []
    assert all(targets == job["targets"] for targets in asked)
    written = [call.args[0]["fact"] for call in writer.event.call_args_list]
    assert not any(is_factor(each["name"]) for each in written)
    return {each["name"]: each["value"] for each in written}


@pytest.mark.parametrize(
    ("read", "grown"),
    [
        (({HITS: 90, MISSES: 10}, {HITS: 180, MISSES: 20}), {HITS: 90, MISSES: 10}),
        (({HITS: 5}, {HITS: 5}), {HITS: 0}),
        # What was asked before MEASURE is not of it.
        ((None,), {}),
        (({HITS: 90}, None), {}),
        # Started anew: what it counted in between is not known.
        (({HITS: 90, MISSES: 10}, {HITS: 4, MISSES: 11}), {}),
        (({HITS: 90}, {HITS: 91, MISSES: 1}), {}),
    ],
)
def test_counters_are_told_by_how_much_they_grew_in_measure(
    read: tuple[Counts | None, ...], grown: dict[str, int]
) -> None:
    assert facts_of(*read) == grown


def test_a_target_that_counts_nothing_tells_nothing() -> None:
    over = CountsOverMeasure({}, no_counts)
    assert [over.entered(phase) for phase in PHASES] == [None] * len(PHASES)
