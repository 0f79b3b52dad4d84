"""The hit ratio of an application's cache: from what it counted to the finding and the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from igen.aspects.aspects import ASPECTS
from igen.aspects.cache.parts import CacheHits
from igen.aspects.published.application_tables import HERE, NOTHING_HERE, published_applications_table
from igen.facts import TARGET_CACHE_HITS, TARGET_CACHE_MISSES
from igen.judge import analyse, result_of
from igen.judge.intent import Intent
from igen.judge.record.recording import Recording, recording_from_events
from igen.judge.result import System, aspect
from igen.judge.trust.trust import Trust
from igen.reference.load import load_reference
from tests.aspects.observed import observed
from tests.judge.hosts import on_host
from tests.judge.synthetic import events, recording

Counted = tuple[int, int]


def judged(*counted: Counted | None, said: str = "", users: Sequence[int] = (60,)) -> System:
    """A system whose runs, one after another for each load, counted so many hits and misses."""
    runs = []
    for level, count in enumerate(users):
        for repeat, one in enumerate(counted):
            made = on_host(
                recording(
                    [1000] * 10,
                    users=count,
                    level=level,
                    repeat=repeat,
                    system="shop",
                    job={"workload": "web"},
                ),
                own=0.5,
            )
            if one is not None:
                made.facts |= {TARGET_CACHE_HITS: one[0], TARGET_CACHE_MISSES: one[1]}
            runs.append(_read_again(made))
    intent = Intent(reference=load_reference("web"), described={"shop": {"cache": said}} if said else {})
    (system,) = analyse(runs, intent=intent, aspects=ASPECTS)
    return system


def _read_again(made: Recording) -> Recording:
    """The whole way, from the lines that were written."""
    return recording_from_events(events(made), made.job_file)


def test_hits_and_lookups_become_a_ratio_with_its_interval() -> None:
    system = judged((960, 40), (970, 30), (980, 20), users=(30, 60))
    found = aspect(system.levels[1], CacheHits)
    assert found is not None
    assert (found.hits, found.lookups) == (2910, 3000)
    assert found.hit_percent.value == pytest.approx(97)
    (seen,) = observed(system, "cache-hits")
    assert (seen.part("load").text, seen.figure("lookups")) == ("60 users", 3000)
    assert seen.figure("hit_percent") == pytest.approx(97)
    assert seen.part("hit_percent").span == pytest.approx((94.5, 99.5), abs=0.05)


@pytest.mark.parametrize(
    "counted",
    [
        (None, None, None),
        # One run does not tell it, or asked the cache for nothing: there is no mean of three.
        ((960, 40), None, (980, 20)),
        ((960, 40), (0, 0), (980, 20)),
    ],
)
def test_without_the_counts_of_each_run_nothing_is_said(counted: tuple[Counted | None, ...]) -> None:
    system = judged(*counted)
    assert aspect(system.levels[0], CacheHits) is None
    assert observed(system, "cache-hits") == []


@pytest.mark.parametrize(
    ("counted", "said", "told"),
    [
        ([(960, 40), (970, 30), (980, 20)], "on", "on, hit ratio 97.0 % (94.5 to 99.5 %)"),
        # What was counted is not overruled by what was said.
        ([(960, 40), (970, 30), (980, 20)], "off", "on, hit ratio 97.0 % (94.5 to 99.5 %)"),
        ([(1000, 0), (1000, 0), (998, 2)], "", "on, hit ratio 99.9 % (99.6 to 100 %)"),
        ([None], "off", "off"),
        ([None], "", "not told"),
    ],
)
def test_the_table_discloses_it_beside_published_results(
    counted: list[Counted | None], said: str, told: str
) -> None:
    rows = list(published_applications_table(result_of([judged(*counted, said=said)])).rows())
    assert rows[-1][-1] == told


def test_the_legend_tells_of_a_row_here_only_where_there_is_one() -> None:
    system = judged((960, 40), (970, 30), (980, 20))
    (note,) = published_applications_table(result_of([system])).notes
    assert note.startswith(HERE)
    (level,) = system.levels
    invalid = replace(level, trust=Trust(throughput="INVALID", times="INVALID"))
    table = published_applications_table(result_of([replace(system, levels=[invalid], peak=None)]))
    assert "shop" not in [row[0] for row in table.rows()]
    (note,) = table.notes
    assert note.startswith(NOTHING_HERE)
