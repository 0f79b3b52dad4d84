"""Who drove the load is said of the runs that count, and no more than they know."""

from __future__ import annotations

from typing import Any

import pytest

from igen.judge.curve.observations import observations_of
from igen.judge.record.recording import Recording
from igen.judge.result import Finding
from tests.judge.synthetic import one_system, recording
from tests.said import texts_of


def shared(users: int, *hosts: str, **facts: Any) -> list[Recording]:
    """Three runs of as many users, driven by agents on these hosts."""
    fleet = {"agents": len(hosts), "hosts": list(hosts), "began_together": True}
    fleet |= {"clock_errors_s": [0.0 if host == "a" else 0.0004 for host in hosts]} | facts
    of_run = {f"fleet.{name}": value for name, value in fleet.items()} if hosts else {}
    return [
        recording([1000 * users] * 10, users=users, level=users, repeat=repeat, facts=of_run)
        for repeat in range(3)
    ]


def said(*levels: list[Recording]) -> list[Finding]:
    system = one_system([run for level in levels for run in level])
    return [each for each in observations_of(system) if each.rule == "load-processes"]


def numbers(found: Finding) -> tuple[float, float]:
    """The fewest and the most processes of a run."""
    return found.figure("fewest"), found.figure("most")


def starts(found: Finding) -> list[str]:
    """How well it is known that they started together."""
    return [each.rule for each in found.because]


@pytest.mark.parametrize(
    ("hosts", "machines", "start"),
    [
        ("b", ["b"], []),
        ("aa", ["a"], ["started-by-same-clock"]),
        ("aab", ["a", "b"], ["started-by-known-clocks"]),
    ],
)
def test_it_is_said_how_many_there_were_and_how_well_their_clocks_are_known(
    hosts: str, machines: list[str], start: list[str]
) -> None:
    (found,) = said(shared(4, *hosts))
    assert texts_of(found, "machine") == machines
    assert numbers(found) == (len(hosts), len(hosts))
    assert starts(found) == start
    errors_ms = [each.figure("clock_error_ms") for each in found.because if each.parts]
    assert errors_ms == ([pytest.approx(0.4)] if len(machines) > 1 else [])


def test_one_process_of_this_machine_is_not_named() -> None:
    assert said(shared(4)) == []


def test_a_level_with_fewer_users_had_fewer_of_them() -> None:
    (found,) = said(shared(1), shared(2, *"aa"), shared(4, *"aaaa"))
    assert (numbers(found), texts_of(found, "machine")) == ((1, 4), ["a"])
    assert starts(found) == ["started-by-same-clock"]


def test_a_level_that_does_not_count_is_not_counted() -> None:
    """One of three was lost: the next level has two, and the invalid one is no part of any observation."""
    lost = shared(4, *"aaa", lost=["agent 3 of 3 on a was lost"])
    (found,) = said(shared(2, *"aa"), lost, shared(8, *"aa"))
    assert numbers(found) == (2, 2)


def test_agents_whose_clocks_are_not_known_were_told_to_begin_at_once() -> None:
    unknown = shared(4, *"ab", began_together=False, clock_errors_s=[0.0, None])
    (found,) = said(shared(2, *"aa"), unknown)
    assert starts(found) == ["started-when-ready"]


def test_nothing_is_made_of_a_recording_without_errors_of_clocks() -> None:
    old = shared(4, *"ab", clock_errors_s=[None])
    assert [starts(found) for found in said(old)] == [["started-at-same-time"]]
