"""One stall of 1 s in 50 s: which clock tells the truth?

A queue with one server, 100 arrivals a second, 4 ms of service each. The truth is what somebody sees who
comes at an arbitrary moment.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

from igen.judge import analyse, result_of
from igen.judge.record.form import Arrivals
from igen.judge.record.recording import Recording
from igen.judge.record.snapshot import Statistics
from igen.judge.result import Level
from igen.judge.run.measured import measure
from igen.report.printers.terminal import Terminal
from igen.report.text import summary_text
from tests.judge.synthetic import histogram, one_system, recording, snapshot
from tests.said import observation, observed, rules

SECONDS = 50
RATE_PER_S = 100
SERVICE_S = 0.004
STALL_BEGIN_S, STALL_END_S = 25.3, 26.3


def finish(start_s: float, service_s: float) -> float:
    """When work that starts then is done: nothing moves during the stall."""
    end = max(start_s, STALL_END_S if STALL_BEGIN_S <= start_s < STALL_END_S else start_s) + service_s
    return end + (STALL_END_S - STALL_BEGIN_S if start_s < STALL_BEGIN_S < end else 0.0)


def queue(arrivals_s: np.ndarray, services_s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Start and end of each arrival's service, first come, first served."""
    starts, ends = np.empty(len(arrivals_s)), np.empty(len(arrivals_s))
    free_s = 0.0
    for i, (arrival_s, service_s) in enumerate(zip(arrivals_s, services_s, strict=True)):
        starts[i] = max(arrival_s, free_s)
        ends[i] = free_s = finish(starts[i], service_s)
    return starts, ends


@pytest.fixture(scope="module")
def plan() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(50)
    arrivals = np.arange(SECONDS * RATE_PER_S) / RATE_PER_S
    return arrivals, SERVICE_S * random.uniform(0.8, 1.2, len(arrivals))


def truth_ms(arrivals_s: np.ndarray, services_s: np.ndarray) -> float:
    """p99 over arbitrary moments, each waiting for what came before it and then being served itself."""
    _, ends = queue(arrivals_s, services_s)
    moments = np.linspace(0, SECONDS, 200_000, endpoint=False)
    before = np.searchsorted(arrivals_s, moments, side="right") - 1
    free = np.maximum(moments, ends[before])
    done = np.array([finish(start, SERVICE_S) for start in free])
    return float(np.quantile(done - moments, 0.99)) * 1e3


def recorded(arrivals_s: np.ndarray, starts_s: np.ndarray, ends_s: np.ndarray) -> Recording:
    """What the agent writes of an open load: each transaction in the interval in which it ends."""
    intervals = []
    for second in range(SECONDS):
        ended = (ends_s >= second) & (ends_s < second + 1)
        due = int(((arrivals_s >= second) & (arrivals_s < second + 1)).sum())
        started = int(((starts_s >= second) & (starts_s < second + 1)).sum())
        backlog = int(((arrivals_s < second + 1) & (starts_s >= second + 1)).sum())
        statistics = Statistics(
            count=int(ended.sum()),
            service_time=histogram((ends_s - starts_s)[ended] * 1e9),
            response_time=histogram((ends_s - arrivals_s)[ended] * 1e9),
        )
        arrivals = Arrivals(due=due, started=started, unsent=0, backlog=backlog)
        intervals.append(snapshot(second, statistics, arrivals=arrivals))
    return recording(snapshots=intervals, load={"open": {"rate_per_s": float(RATE_PER_S), "users": 1}})


def closed_loop_p99_ms(services_s: np.ndarray) -> float:
    """One user who waits 6 ms after each answer: he meets the stall once."""
    times, now = [], 0.0
    for service_s in services_s:
        end = finish(now, service_s)
        times.append(end - now)
        now = end + 0.006
    return float(np.quantile(times, 0.99)) * 1e3


def level_of(plan: tuple[np.ndarray, np.ndarray]) -> Level:
    (level,) = one_system([recorded(plan[0], *queue(*plan))]).levels
    return level


def test_only_the_intended_start_tells_the_truth(plan: tuple[np.ndarray, np.ndarray]) -> None:
    truth = truth_ms(*plan)
    level = level_of(plan)
    assert level.response_time_ms is not None
    assert level.service_time_ms is not None
    assert truth > 500
    assert level.response_time_ms.p99 == pytest.approx(truth, rel=0.03)
    assert level.service_time_ms.p99 < 10, "timed at the real start"
    assert closed_loop_p99_ms(plan[1]) < 10, "a closed loop"
    starts, ends = queue(*plan)
    on_time = starts - plan[0] < 1 / RATE_PER_S
    skipped = np.quantile((ends - plan[0])[on_time], 0.99) * 1e3
    assert skipped < 20, "slots that were missed are skipped"


def test_the_stall_is_named(plan: tuple[np.ndarray, np.ndarray]) -> None:
    stall = observation(one_system([recorded(plan[0], *queue(*plan))]), "hidden-stall")
    assert stall.figure("longest_service_ms") == pytest.approx(1000, rel=0.02)
    level = level_of(plan)
    assert rules(level) == ["one-run"]


def test_an_early_stall_is_not_taken_for_a_warm_up() -> None:
    """It is as much a part of the response time as one that comes late."""
    arrivals = np.arange(SECONDS * RATE_PER_S) / RATE_PER_S
    waits = np.where((arrivals >= 2) & (arrivals < 4), 4 - arrivals, 0.0)
    run = measure(recorded(arrivals, arrivals + waits, arrivals + waits + 0.001))
    assert (run.cut_s, run.measured_s) == (0.0, SECONDS)


def plain_queue(seed: int, load: float, offered_per_s: float = 100.0) -> Recording:
    """M/M/1, in its steady state where it has one (`load` below 1): all is random, nothing stalls."""
    random = np.random.default_rng(seed)
    warmup = 2000
    count = warmup + round(2 * SECONDS * offered_per_s)
    arrivals = np.cumsum(random.exponential(1 / offered_per_s, count))
    services = random.exponential(load / offered_per_s, count)
    # Lindley: work w waits for what came before, w' = max(w + service - gap, 0), as a running minimum.
    walk = np.concatenate(([0.0], np.cumsum(services[:-1] - np.diff(arrivals))))
    waits = walk - np.minimum.accumulate(walk)
    begin_s = arrivals[warmup]
    starts = arrivals + waits - begin_s
    return recorded(arrivals - begin_s, starts, starts + services)


@pytest.mark.parametrize("load", [0.5, 0.7, 0.8, 0.9])
def test_a_plain_queue_has_no_stall_and_keeps_up(load: float) -> None:
    """Its longest service is the tail of the same distribution, its backlog comes and goes."""
    for seed in range(10):
        system = one_system([plain_queue(seed, load)])
        assert "hidden-stall" not in observed(system)
        assert system.levels[0].trust.verdict != "INVALID", rules(system.levels[0])


def test_an_overloaded_queue_falls_behind() -> None:
    """Nothing is given up yet: only what was due and the backlog tell."""
    for seed in range(10):
        (level,) = one_system([plain_queue(seed, 1.2)]).levels
        assert level.unsent == 0
        assert level.trust.verdict == "INVALID"


def test_a_slowly_growing_backlog_is_seen() -> None:
    """1.5 % too slow: long response times alone would excuse the difference of due and ended."""
    arrivals = np.arange(SECONDS * RATE_PER_S) / RATE_PER_S
    waiting = np.arange(-1000, 0) / RATE_PER_S
    starts = np.arange(len(waiting) + len(arrivals)) * 1.015 / RATE_PER_S
    (level,) = one_system([recorded(np.concatenate((waiting, arrivals)), starts, starts + 0.001)]).levels
    assert "queue-grew" in rules(level)


@pytest.mark.parametrize(("capacity", "held"), [(1.02, True), (0.98, False), (0.9, False)])
def test_what_waits_in_the_server_is_not_held_either(capacity: float, held: bool) -> None:
    """Each arrival is sent at once, as there are users enough, and the server answers so many of them."""
    arrivals = np.arange(SECONDS * RATE_PER_S) / RATE_PER_S
    ends = np.maximum(arrivals, np.arange(len(arrivals)) / RATE_PER_S / capacity) + 0.004
    (level,) = one_system([recorded(arrivals, arrivals, ends)] * 3).levels
    assert level.trust.served == ("held" if held else "overloaded")
    assert (level.trust.verdict != "INVALID") is held, rules(level)


def test_the_headline_names_no_load_that_the_server_did_not_hold() -> None:
    """It answers 118 a second: 100 are held, and of 120 more and more wait in it, each sent at once."""
    runs = []
    for level, rate in enumerate((100, 120)):
        arrivals = np.arange(SECONDS * rate) / rate
        ends = np.maximum(arrivals, np.arange(len(arrivals)) / 118) + 0.004
        for repeat in range(5):
            run = recorded(arrivals, arrivals, ends)
            run.level, run.repeat = level, repeat
            run.job["load"] = {"open": {"rate_per_s": float(rate)}}
            runs.append(run)
    said = summary_text(result_of(analyse(runs)), terminal=Terminal(10_000))
    assert re.search(r"at 100(/s| offered per s).*: the highest load that .* held", said), said
    assert "INVALID and left out of all conclusions: 120/s" in said, said
    assert "no figure" not in said, "that more was offered than was served is a result"
