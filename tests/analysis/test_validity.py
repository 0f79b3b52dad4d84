"""Each limit: just below it nothing is said, above it the verdict and the figure."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from igen.analysis.limits import Finding
from igen.analysis.load_checks import erlang_c
from igen.analysis.measured import measure
from igen.analysis.recording import Arrivals, Recording, Statistics
from igen.analysis.validity import Study, findings_of, level_verdict, stands_in, study_of, verdict_of
from tests.analysis.synthetic import histogram, readings, recording, snapshot, statistics

NO_STUDY = Study(canary_spins_per_s=None, floor_s=50e-9)
REMOTE = {"targets": ["postgresql://db.example/shop"]}
LOCAL = {"targets": ["postgresql://localhost/shop"]}


def judged(made: Recording, study: Study = NO_STUDY) -> list[Finding]:
    return findings_of(measure(made), study)


def rules(made: Recording, study: Study = NO_STUDY) -> set[str]:
    return {finding.rule for finding in judged(made, study)}


def on_host(made: Recording, *parts: dict[Any, Any]) -> Recording:
    """Two processors, otherwise idle, and what `parts` add."""
    idle = [readings("cpu", {"idle_s": 1.0}, name) for name in ("cpu0", "cpu1")]
    for each in (*idle, readings("cpu", {"idle_s": 2.0}), *parts):
        made.readings.update(each)
    return made


def cpu(**per_s: float) -> dict[Any, Any]:
    return readings("cpu", {"idle_s": 2.0 - sum(per_s.values()), **per_s})


def agent(**per_s: float) -> dict[Any, Any]:
    return readings("process", per_s, "agent")


def test_a_good_run_is_valid() -> None:
    made = on_host(recording(), cpu(user_s=0.9, system_s=0.1), agent(user_s=0.9, system_s=0.1, wait_s=0.0))
    assert judged(made) == []
    assert verdict_of([]) == "VALID"


@pytest.mark.parametrize(
    ("steal", "verdict"), [(0.018, None), (0.028, "SUSPECT"), (0.058, "SUSPECT"), (0.066, "INVALID")]
)
def test_steal(steal: float, verdict: str | None) -> None:
    found = judged(on_host(recording(), cpu(steal_s=steal)))
    assert [finding.verdict for finding in found] == ([verdict] if verdict else [])
    if steal == 0.028:
        assert found[0].text == "steal 1.4 % of the processors' time (limit 1 %)"


@pytest.mark.parametrize(
    ("users", "job", "told"),
    [
        (1, {}, {"driver wait"}),
        (2, {}, {"driver wait"}),
        (3, {}, set()),
        (8, REMOTE, {"pressure", "driver wait"}),
        (1, LOCAL, set()),
    ],
)
def test_pressure_counts_where_processors_are_free(users: int, job: dict[str, Any], told: set[str]) -> None:
    pressure = readings("pressure", {"some_s": 0.2}, "cpu")
    waits = agent(wait_s=0.06 * users, involuntary_switches=90)
    made = on_host(recording(users=users, job=job), pressure, waits)
    assert rules(made) == told
    if told:
        assert any("6 % of the service time (limit 5 %) and lost it 90 times" in f.text for f in judged(made))


def test_pressure_counts_in_process_where_the_driver_cannot_tell_its_own_waiting() -> None:
    assert rules(on_host(recording(), readings("pressure", {"some_s": 0.2}, "cpu"))) == {"pressure"}


def test_driver_cpu_is_the_load_itself_where_there_is_no_server() -> None:
    busy = (cpu(user_s=1.6), agent(user_s=1.6))
    assert rules(on_host(recording(users=2), *busy)) == set()
    assert rules(on_host(recording(users=2, job=LOCAL), *busy)) == {"driver CPU"}


def test_foreign_cpu_names_the_busiest() -> None:
    others = readings("processes", {"user_s": 0.3}, "17 backup")
    made = on_host(recording(), cpu(user_s=1.3), agent(user_s=1.0), others)
    (finding,) = judged(made)
    assert finding.text == "others used 15.0 % of all processors (limit 5 %): backup 15.0 %"
    unknown = on_host(recording(job=LOCAL), cpu(user_s=1.3), agent(user_s=1.0), others)
    assert rules(unknown) == set(), "the server's own processes are not known"


def test_threads_of_the_kernel_work_for_files_and_devices() -> None:
    others = readings("processes", {"user_s": 0.3}, "17 [kworker/u8:1-btrfs-rmw]")
    made = on_host(recording(), cpu(user_s=1.3), agent(user_s=1.0), others)
    assert rules(made) == {"foreign CPU"}
    made.job["targets"] = ["file:///raid5/data"]
    assert rules(made) == set()
    backup = readings("processes", {"user_s": 0.2}, "18 backup")
    made = on_host(recording(), cpu(user_s=1.5), agent(user_s=1.0), others | backup)
    made.job["targets"] = ["file:///raid5/data"]
    (finding,) = judged(made)
    assert finding.text == "others used 10.0 % of all processors (limit 5 %): backup 10.0 %"


@pytest.mark.parametrize(
    ("canaries", "median", "words"),
    [
        ([(False, 100.0), (True, 98.0)], 100.0, None),
        ([(False, 100.0), (True, 96.0)], 100.0, "4.0 % slower"),
        ([(False, 95.0), (True, 95.0)], 100.0, "5.0 % slower than the median of all runs"),
        ([], None, None),
    ],
)
def test_canary(canaries: list[tuple[bool, float]], median: float | None, words: str | None) -> None:
    found = judged(recording(canaries=canaries), Study(median, 0.0))
    assert [finding.rule for finding in found] == (["canary"] if words else [])
    assert not words or words in found[0].text


def test_the_canary_of_the_study_is_the_median_of_all() -> None:
    made = [recording(canaries=[(False, speed)]) for speed in (90.0, 100.0, 101.0)]
    assert study_of(made, 40.0) == Study(100.0, 40e-9)


def test_clock_and_company() -> None:
    facts = {"engine.clock_drift_ppm": -120.0, "environment.concurrent_runs": 1}
    assert rules(recording(facts=facts)) == {"clock", "concurrent runs"}
    assert rules(recording(facts={"engine.clock_drift_ppm": 99.0, "environment.concurrent_runs": 0})) == set()


def failing(failed: int) -> Recording:
    each = statistics(1000, 1.0, failed=failed)
    return recording(snapshots=[snapshot(i, each, failures={"locked": failed}) for i in range(10)])


def test_errors() -> None:
    assert "errors" not in rules(failing(1))
    found = [finding for finding in judged(failing(2)) if finding.rule == "errors"]
    assert found[0].verdict == "INVALID"
    assert found[0].text == "0.2 % of the transactions failed (limit 0.1 %), most of them: locked"


def test_nothing_measured() -> None:
    assert verdict_of(judged(recording([]))) == "INVALID"
    assert "nothing measured" in rules(recording([0] * 10))


def test_not_steady_is_suspect() -> None:
    (finding,) = judged(recording([1000 + 30 * i for i in range(20)]))
    assert (finding.verdict, finding.rule) == ("SUSPECT", "not steady")
    assert "+" in finding.text


def opened(
    due: int, ended: int, *, unsent: int = 0, backlog: int = 0, response_ms: float = 1.0, **load: Any
) -> Recording:
    arrivals = Arrivals(due=due, started=ended, unsent=unsent, backlog=backlog)
    intervals = [snapshot(i, statistics(ended, 1.0, response_ms), arrivals=arrivals) for i in range(10)]
    return recording(snapshots=intervals, load={"open": {"rate_per_s": float(due), **load}})


def test_rate_not_met() -> None:
    assert rules(opened(1000, 995, users=4)) == set()
    (finding,) = judged(opened(1000, 980, users=4))
    assert finding.verdict == "INVALID"
    assert finding.text == "980.0 of 1,000 arrivals a second were served (limit 1 %)"
    assert rules(opened(1000, 1020, users=4)) == {"rate not met"}


def test_what_is_in_flight_at_the_ends_is_not_missing() -> None:
    """10 arrivals a second of 9 s each: about 90 are in flight, give or take 13 at each end."""
    assert "rate not met" not in rules(opened(10, 7, response_ms=9000.0, users=100))


def test_unsent_is_overloaded() -> None:
    found = [finding for finding in judged(opened(1000, 990, unsent=10, users=4)) if finding.rule == "unsent"]
    assert found[0].text == "OVERLOADED: 100 of 10,000 arrivals were given up after 10 s"


@pytest.mark.parametrize(
    ("load", "backlog", "told"),
    [({}, 0, True), ({"users": 50}, 0, True), ({"users": 50}, 3, False), ({"users": 1}, 0, False)],
)
def test_a_lag_is_the_drivers_where_users_are_free(load: dict[str, Any], backlog: int, told: bool) -> None:
    made = opened(500, 500, backlog=backlog, response_ms=1.5, **load)
    assert rules(made) == ({"send lag"} if told else set())
    assert rules(opened(500, 500, response_ms=1.02)) == set()


def test_a_paced_user_that_is_ready_in_time_is_free() -> None:
    def paced(service_ms: float) -> Recording:
        intervals = [snapshot(i, statistics(100, service_ms, service_ms * 1.5)) for i in range(10)]
        return recording(snapshots=intervals, load={"paced": {"users": 10, "rate_per_user_per_s": 10.0}})

    assert rules(paced(20.0)) == {"send lag"}
    assert rules(paced(120.0)) == set()


def test_a_closed_user_is_free_at_its_own_start() -> None:
    intervals = [snapshot(i, statistics(1000, 1.0, 1.5)) for i in range(10)]
    load = {"closed": {"users": 2, "think_time_s": 0.001}}
    assert "send lag" in rules(recording(snapshots=intervals, load=load))


def test_littles_law() -> None:
    def closed(service_ms: float, **rest: Any) -> Recording:
        intervals = [snapshot(i, statistics(1000, service_ms)) for i in range(10)]
        return recording(snapshots=intervals, users=4, **rest)

    assert rules(closed(4.0)) == set()
    (finding,) = judged(closed(3.8))
    assert finding.text == "Little's law does not close: 4 users, but X (R + Z) = 3.8 (limit 2 %)"
    assert rules(closed(3.8, facts={"engine.aside_s": 2.0})) == set()
    assert rules(closed(3.8, facts={"engine.aside_s": 0.0})) == {"Little's law"}
    assert rules(closed(3.8), Study(None, 1e-3)) == set(), "the engine's own cost explains it"
    thinking = {"closed": {"users": 4, "think_time_s": 0.0038}}
    assert rules(closed(0.2, load=thinking)) == set()
    eight = {"workload.in_flight_per_user": 8}
    assert rules(closed(32.0, facts=eight)) == set()
    (finding,) = judged(closed(4.0, facts=eight))
    assert finding.text.startswith(
        "Little's law does not close: 4 users with 8 transactions in flight each, but X (R + Z) = 4"
    )


def test_a_fault_spoils_the_level_but_an_interruption_does_not() -> None:
    good: list[Finding] = []
    dead = judged(recording(outcome=None, signal=9))
    stopped = judged(recording(outcome="interrupted"))
    assert not stands_in(dead)
    assert not stands_in(stopped)
    assert level_verdict([good], [dead]) == ("INVALID", ["the agent died: signal 9; in 1 of 2 runs"])
    assert level_verdict([good], [stopped]) == ("VALID", [])
    assert level_verdict([stopped], [])[0] == "INVALID"


def test_reasons_are_told_once_with_their_number() -> None:
    suspect = [Finding("SUSPECT", "steal", "steal 2 %")]
    invalid = [Finding("INVALID", "steal", "steal 4 %"), Finding("SUSPECT", "canary", "slow")]
    found = level_verdict([suspect, suspect, []], [invalid])
    assert found == ("SUSPECT", ["steal 2 %; in 2 of 3 runs"])
    assert level_verdict([invalid], []) == ("INVALID", ["steal 4 %", "slow"])


def test_what_the_load_did_stays_and_spoils() -> None:
    for made in (failing(2), recording([0] * 10)):
        found = judged(made)
        assert stands_in(found)
        assert level_verdict([[], []], [found])[0] == "INVALID"


def test_unfinished_transactions() -> None:
    assert rules(recording(unfinished_users=3)) == {"unfinished"}


@pytest.mark.parametrize(
    ("servers", "busy", "expected"), [(1, 0.5, 0.5), (2, 1.0, 1 / 3), (10, 8.0, 0.4092), (3, 3.0, 1)]
)
def test_erlang_c(servers: int, busy: float, expected: float) -> None:
    """M/M/1: ρ; M/M/2: 2 ρ² / (1 + ρ); the third from tables."""
    assert erlang_c(servers, busy) == pytest.approx(expected, abs=1e-4)


def test_the_lag_is_that_of_the_tail() -> None:
    """Lags of 0 to 2 ms on services of 5 ms: p99 is 1.98 ms, 33 % of the median response."""
    random = np.random.default_rng(1)
    service = histogram(np.full(10_000, 5_000_000))
    response = histogram(5_000_000 + random.integers(0, 2_000_000, 10_000))
    times = Statistics(count=10_000, failed=0, service_time=service, response_time=response)
    intervals = [snapshot(i, times) for i in range(10)]
    found = judged(recording(snapshots=intervals, load={"open": {"rate_per_s": 1e4}}))
    assert [finding.rule for finding in found] == ["send lag"]
    assert "up to 2 ms late (p99)" in found[0].text
