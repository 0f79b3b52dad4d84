"""The peak of several loads at once, whose truth is known: from recordings to observation and picture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from igen.document import Lines
from igen.judge import result_of
from igen.judge.record.recording import Recording
from igen.judge.result import System
from igen.layout.level import LoadAxis
from igen.report.curves import load_pictures
from tests.judge.synthetic import recording, snapshot, statistics
from tests.judge.test_personas import read, together
from tests.said import headline, observation

SHARED_OUT = {3: (2, 1), 4: (3, 1), 6: (4, 2), 9: (6, 3), 12: (8, 4)}
"""Clerks and screens of so many users."""
SERVERS = 6
PER_SERVER = 500
"""Transactions a second of one busy server; each user beyond the servers costs a hundredth of all."""


def per_s(users: int, total: int) -> float:
    """What so many users do where there are `total`."""
    cost = 1 - max(0, total - SERVERS) / 100
    return PER_SERVER * users * min(1, SERVERS / total) * cost


def run(
    total: int,
    purpose: str,
    repeat: int,
    random: np.random.Generator,
    screens: str = "closed",
    others: int = 0,
) -> Recording:
    """Ten seconds, with noise of 1 % from second to second, beside so many `others` on the machine."""
    clerks, walls = SHARED_OUT[total]
    seconds = []
    for index in range(10):
        noise = 1 + 0.01 * random.standard_normal()
        each = []
        for users in (clerks, walls):
            count = round(per_s(users, total) * noise)
            each.append(snapshot(index, statistics(count, 1e3 * users / count), users=users))
        seconds.append(together(*each))
    rate = {"rate_per_user_per_s": PER_SERVER} if screens == "paced" else {}
    personas: dict[str, Any] = {
        "clerks": {"params": {}, "load": {"closed": {"users": clerks, "think_time_s": 0.0}}},
        "orders": {"params": {}, "load": {screens: {"users": walls, **rate}}},
    }
    level = [*SHARED_OUT].index(total)
    job = {"personas": personas, "load": None}
    facts = {"environment.concurrent_runs": others}
    return recording(
        snapshots=seconds, job=job, level=level, repeat=repeat, users=total, purpose=purpose, facts=facts
    )


def search(
    confirmed: tuple[int, ...] = (6,), seed: int = 1, screens: str = "closed", others: int = 0
) -> System:
    """As a study leaves it: each level once, the best ones again, the best of these by fresh runs."""

    def runs() -> Iterator[Recording]:
        random = np.random.default_rng(seed)
        for purpose, repeats, totals in (
            ("search", 1, (3, 6, 9, 12)),
            ("choose", 5, (6, 9)),
            ("confirm", 5, confirmed),
        ):
            for total in totals:
                for repeat in range(repeats):
                    yield run(total, purpose, repeat, random, screens, others)

    (system,) = read([*runs()])
    return system


def test_the_peak_is_that_of_the_sum_at_the_proportions_of_the_study() -> None:
    for seed in range(10):
        system = search(seed=seed)
        assert system.peak is not None
        assert (system.peak.users, system.peak.confirmed) == (6, True)
        assert system.peak.throughput_per_s.value == pytest.approx(SERVERS * PER_SERVER, rel=0.005)
        assert system.sweet_spot is not None
        assert system.sweet_spot.users == 6
        found = observation(system, "reaches-plateau" if system.peak.levels_off else "peak")
        assert found.part("load").text == "4 users of clerks and 2 users of orders"
        assert found.figure("throughput_per_s") == system.peak.throughput_per_s.value


def test_the_sentence_names_the_peak_and_what_each_did_there() -> None:
    (said,) = headline(result_of([search()]))
    assert "transactions a second from 6 users on, ±" in said
    assert ": A (oltp) in these proportions; " in said
    assert " transactions a second at 4 users, ±" in said
    assert "; orders did " in said
    assert said.endswith(". 4 levels: 2 VALID, 2 ONE RUN.")


def test_of_a_paced_persona_the_sentence_says_its_mean_response_time() -> None:
    (said,) = headline(result_of([search(screens="paced")]))
    assert "; orders had a mean response time of 2 ms at 2 users, ±" in said


def test_the_sentence_says_that_the_level_of_the_peak_is_not_believed() -> None:
    (said,) = headline(result_of([search(others=1)]))
    assert ". That level is SUSPECT: 1 other run was active" in said
    assert ". There clerks did " in said


def test_the_sentence_says_why_a_search_names_no_peak() -> None:
    system = search(confirmed=())
    assert system.peak is None
    (said,) = headline(result_of([system]))
    assert ": A (oltp); no peak is named: the search confirmed no level. " in said
    assert "There clerks" not in said


def test_where_one_persona_alone_has_more_users_the_axis_is_still_that_of_all() -> None:
    random = np.random.default_rng(1)
    (system,) = read([run(total, "search", 0, random) for total in (3, 4)])
    axis = LoadAxis.over([system])
    assert [axis.value(level) for level in system.levels] == [3, 4]


def test_the_picture_marks_the_peak_on_the_curve_of_all() -> None:
    system = search()
    throughput, response = load_pictures(result_of([system]), along_targets=False)
    assert isinstance(throughput.chart, Lines)
    assert isinstance(response.chart, Lines)
    assert throughput.chart.x.title == "users of all"
    lines = {line.label: line for line in throughput.chart.series}
    assert [*lines] == ["all", "clerks", "orders"]
    (note,) = throughput.chart.notes
    at = {dot.x: dot.y for dot in lines["all"].dots}
    assert [*at] == [3, 6, 9, 12]
    assert at[note.x] == pytest.approx(note.y)
    assert note.colour == lines["all"].colour
    for dots in zip(*(lines[name].dots for name in lines), strict=True):
        assert dots[0].y == pytest.approx(dots[1].y + dots[2].y)
    # Transactions of different kinds have no mean in common.
    assert [line.label for line in response.chart.series] == ["clerks", "p99", "orders", "p99"]
