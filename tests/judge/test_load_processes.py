"""Who drove the load is said of the runs that count, and no more than they know."""

from __future__ import annotations

from typing import Any

import pytest

from igen.judge.observations import observations_of
from igen.judge.recording import Recording
from tests.judge.synthetic import one_system, recording


def shared(users: int, *hosts: str, **facts: Any) -> list[Recording]:
    """Three runs of as many users, driven by agents on these hosts."""
    fleet = {"agents": len(hosts), "hosts": list(hosts), "began_together": True}
    fleet |= {"clock_errors_s": [0.0 if host == "a" else 0.0004 for host in hosts]} | facts
    of_run = {f"fleet.{name}": value for name, value in fleet.items()} if hosts else {}
    return [
        recording([1000 * users] * 10, users=users, level=users, repeat=repeat, facts=of_run)
        for repeat in range(3)
    ]


def said(*levels: list[Recording]) -> list[str]:
    system = one_system([run for level in levels for run in level])
    return [each.text for each in observations_of(system) if "load process" in each.text]


BEGIN = "which were told to begin at the same time"


@pytest.mark.parametrize(
    ("hosts", "text"),
    [
        ("", None),
        ("b", "1 load process on b."),
        ("aa", f"2 load processes on a, {BEGIN}, by the same clock."),
        ("aab", f"3 load processes on 2 machines (a, b), {BEGIN}; their clocks are known to within 400 µs."),
    ],
)
def test_it_is_said_how_many_there_were_and_how_well_their_clocks_are_known(
    hosts: str, text: str | None
) -> None:
    assert said(shared(4, *hosts)) == ([] if text is None else [f"The load came from {text}"])


def test_a_level_with_fewer_users_had_fewer_of_them() -> None:
    text = f"The load came from 1 to 4 load processes on a, {BEGIN}, by the same clock."
    assert said(shared(1), shared(2, *"aa"), shared(4, *"aaaa")) == [text]


def test_a_level_that_does_not_count_is_not_counted() -> None:
    """One of three was lost: the next level has two, and the invalid one is no part of any sentence."""
    lost = shared(4, *"aaa", lost=["agent 3 of 3 on a was lost"])
    assert said(shared(2, *"aa"), lost, shared(8, *"aa"))[0].startswith("The load came from 2 load processes")


def test_agents_whose_clocks_are_not_known_were_told_to_begin_at_once() -> None:
    unknown = shared(4, *"ab", began_together=False, clock_errors_s=[0.0, None])
    (text,) = said(shared(2, *"aa"), unknown)
    assert text.endswith("as soon as all were ready: their clocks are not known to within 2 ms.")


def test_nothing_is_made_of_a_recording_without_errors_of_clocks() -> None:
    old = shared(4, *"ab", clock_errors_s=[None])
    assert said(old)[0].endswith("told to begin at the same time.")
