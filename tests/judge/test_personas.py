"""Several loads at once, whose truth is known: each is judged by its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from igen.judge import analyse, result_of
from igen.judge.curve.looked import always_valid
from igen.judge.record.form import Arrivals
from igen.judge.record.recording import Recording, recording_from_events
from igen.judge.record.snapshot import Snapshot, Statistics, add
from igen.judge.result import Level, Result, System
from igen.judge.run.measured import measure
from igen.judge.trust.finding import reasons
from tests.judge.synthetic import events, histogram, recording, snapshot, statistics
from tests.said import headline, rules, texts_of

CLERKS, THINK_S = 10, 0.09
"""Users who take 10 ms and think for 90 ms: 100 transactions a second."""
RATE = 50
PERSONAS: dict[str, Any] = {
    "clerks": {"params": {}, "load": {"closed": {"users": CLERKS, "think_time_s": THINK_S}}},
    "orders": {"params": {}, "load": {"open": {"rate_per_s": float(RATE), "arrivals": "poisson"}}},
}


def clerks_for(index: int, service_ms: float = 10.0, think_s: float | None = None) -> Snapshot:
    """A second of the clerks, for whom Little's law holds unless `think_s` says otherwise."""
    count = round(CLERKS / (service_ms / 1e3 + THINK_S))
    think_s = count * THINK_S if think_s is None else think_s
    return snapshot(index, statistics(count, service_ms), users=CLERKS, think_time_s=think_s)


def orders_for(index: int, of: Statistics | None = None, unsent: int = 0) -> Snapshot:
    """A second of the orders."""
    arrivals = Arrivals(due=RATE, started=RATE - unsent, unsent=unsent, backlog=0)
    return snapshot(index, of or statistics(RATE, 20.0), users=2, arrivals=arrivals)


def together(clerks: Snapshot, orders: Snapshot) -> Snapshot:
    """As the agent tells it: the sum, and each beside it."""
    return replace(
        clerks,
        transactions=add([clerks.transactions, orders.transactions]),
        users=clerks.users + orders.users,
        arrivals=orders.arrivals,
        loads={"clerks": clerks, "orders": orders},
    )


def of_both(snapshots: list[Snapshot], **rest: Any) -> Recording:
    job = {"personas": PERSONAS, "load": None, **rest.pop("job", {})}
    return recording(snapshots=snapshots, job=job, **rest)


def usual(repeat: int = 0, service_ms: float = 10.0, **rest: Any) -> Recording:
    """Ten seconds, in which the orders' times differ by chance."""
    random = np.random.default_rng(repeat)
    seconds = []
    for index in range(10):
        times_ms = 20 + random.standard_normal(RATE)
        timed = histogram(times_ms * 1e6)
        orders = Statistics(count=RATE, service_time=timed, response_time=timed)
        seconds.append(together(clerks_for(index, service_ms), orders_for(index, orders)))
    return of_both(seconds, repeat=repeat, **rest)


def read(recordings: list[Recording]) -> list[System]:
    """The whole way from the lines that an agent writes."""
    return analyse(recording_from_events(events(each), each.job_file) for each in recordings)


def level_of(recordings: list[Recording]) -> Level:
    (system,) = read(recordings)
    (level,) = system.levels
    return level


def test_each_persona_has_figures_of_its_own() -> None:
    level = level_of([usual(repeat) for repeat in range(5)])
    assert level.trust.verdict == "VALID", rules(level)
    assert level.throughput_per_s.value == pytest.approx(150)
    assert (level.users, level.offered_per_s, level.load) == (CLERKS, None, {})
    clerks, orders = level.loads["clerks"], level.loads["orders"]
    assert (clerks.users, clerks.offered_per_s, orders.users, orders.offered_per_s) == (
        CLERKS,
        None,
        None,
        RATE,
    )
    for persona, per_s, mean_ms in ((clerks, 100, 10), (orders, 50, 20)):
        assert persona.throughput_per_s.value == pytest.approx(per_s)
        assert persona.throughput_per_s.n == 5
        assert persona.response_time_ms is not None
        assert persona.response_time_ms.mean == pytest.approx(mean_ms, rel=0.01)
        assert persona.response_time_ms.p99_interval is not None
        assert len(persona.repeats) == 5
        assert persona.trust.verdict == "VALID"
    assert orders.response_time_ms is not None
    interval = orders.response_time_ms.mean_interval
    assert interval is not None
    assert interval.low is not None
    assert interval.low < 20 < (interval.high or 0) < 20.3


def test_repeats_that_were_counted_by_looking_widen_the_intervals_of_each_persona() -> None:
    level = level_of([usual(repeat) for repeat in range(5)])
    orders, looked = (each.loads["orders"].response_time_ms for each in (level, always_valid(level)))
    assert orders is not None
    assert looked is not None
    assert orders.mean_interval is not None
    assert looked.mean_interval is not None
    assert (looked.mean_interval.high or 0) > (orders.mean_interval.high or 0)


def test_littles_law_is_checked_for_each_persona_and_names_it() -> None:
    seconds = [together(clerks_for(i, think_s=6.0), orders_for(i)) for i in range(10)]
    level = level_of([of_both(seconds)])
    (found,) = (each for each in level.findings if each.rule == "users-unaccounted")
    # 100 a second of 10 ms are 1 user at work, and 6 s a second are 6 who think: 3 of 10 are missing.
    assert (found.load, found.figure("users")) == ("clerks", 10)
    assert found.figure("accounted") == pytest.approx(7)
    assert found.row.grade == "VALID"


def test_of_a_share_only_its_users_are_to_be_accounted_for() -> None:
    """Agent 1 of 4 has the numbers 1, 5, 9 of 10 clerks and 1 (13) of the 5 robots that follow them."""
    robots = {"load": {"closed": {"users": 5}}}
    job = {"personas": {"clerks": PERSONAS["clerks"], "robots": robots}, "share": {"index": 1, "of": 4}}
    made = recording(job={**job, "load": None})
    assert [made.of_load(name).own_users for name in ("clerks", "robots")] == [3, 1]
    assert made.own_users == 4
    assert made.is_closed


def test_arrivals_that_were_given_up_are_those_of_one_persona() -> None:
    seconds = [
        together(clerks_for(i), orders_for(i, statistics(RATE - 5, 20.0), unsent=5)) for i in range(10)
    ]
    level = level_of([of_both(seconds)])
    assert level.trust.verdict == "INVALID"
    (reason,) = (each for each in level.findings if each.rule == "arrivals-given-up")
    assert (reason.load, reason.figure("given_up"), reason.figure("arrivals")) == ("orders", 50, 500)
    assert level.loads["orders"].unsent == 50
    assert level.loads["clerks"].unsent == 0


def test_errors_of_one_persona_are_not_hidden_by_the_successes_of_the_other() -> None:
    """One of 500 orders is more than the limit; of all 1,500 transactions it would not be."""
    seconds = [together(clerks_for(i), orders_for(i)) for i in range(10)]
    failing = orders_for(5, statistics(RATE - 1, 20.0, failed=1))
    seconds[5] = together(clerks_for(5), failing)
    level = level_of([of_both(seconds)])
    (reason,) = (each for each in level.findings if each.rule == "errors")
    assert (reason.load, reason.figure("share_percent")) == ("orders", pytest.approx(0.2))
    assert level.loads["orders"].errors == 1


def test_a_persona_in_which_nothing_ended_is_told() -> None:
    seconds = [together(clerks_for(i), orders_for(i, Statistics())) for i in range(10)]
    level = level_of([of_both(seconds)])
    assert [each.load for each in level.findings if each.rule == "nothing-done"] == ["orders"]


def test_late_starts_are_those_of_one_persona() -> None:
    late = [together(clerks_for(i), orders_for(i, statistics(RATE, 20.0, 25.0))) for i in range(10)]
    made = of_both(late)
    (cause,) = level_of([made]).trust.disturbance.causes
    assert (cause.rule, cause.finding.load) == ("late-starts", "orders")
    assert cause.finding.figure("late_ms") == pytest.approx(5, rel=0.01)
    assert cause.times.low_percent == pytest.approx(-20, rel=0.02)
    assert not level_of([made]).loads["clerks"].trust.disturbance.causes


def test_the_same_intervals_count_for_each_persona() -> None:
    """A second that is cut as warm-up of the whole is cut from each."""
    run = measure(usual(job={"phases": {"interval_s": 1.0, "warmup_s": 0.0}}))
    assert [part.measured_s for part in run.loads.values()] == [run.measured_s] * 2
    assert sum(part.transactions.count for part in run.loads.values()) == run.transactions.count


def test_what_never_ended_is_told_of_its_persona() -> None:
    drain = together(
        snapshot(10, Statistics(), phase="drain", users=2), snapshot(10, Statistics(), phase="drain", users=0)
    )
    seconds = [together(clerks_for(i), orders_for(i)) for i in range(10)]
    level = level_of([of_both([*seconds, drain], unfinished_users=2)])
    (reason,) = (each for each in level.findings if each.rule == "unfinished")
    assert (reason.load, reason.figure("transactions")) == ("clerks", 2)
    assert level.loads["orders"].response_time_ms is not None
    assert level.loads["orders"].response_time_ms.max == pytest.approx(20, rel=0.01)


@pytest.mark.parametrize(
    ("users", "rule"),
    [
        (1, "hidden-stall"),
        # One of two waited so long; the other may have gone on.
        (2, "hidden-wait"),
    ],
)
def test_a_stall_that_hits_one_persona_is_told_of_that_one(users: int, rule: str) -> None:
    """2 s in which no order was served: what came meanwhile waited; the clerks went on."""
    random = np.random.default_rng(1)
    seconds = []
    for index in range(50):
        service_ms = 20 + 0.1 * random.standard_normal(RATE)
        response_ms = service_ms.copy()
        if index == 20:
            response_ms[:] = np.linspace(2000, 20, RATE)
            service_ms[0] = 2000
        timed = Statistics(
            count=RATE, service_time=histogram(service_ms * 1e6), response_time=histogram(response_ms * 1e6)
        )
        seconds.append(together(clerks_for(index), orders_for(index, timed)))
    served = {"load": {"open": {"rate_per_s": float(RATE), "users": users}}}
    (system,) = read([of_both(seconds, job={"personas": {**PERSONAS, "orders": served}})])
    (found,) = (each for each in system.observations if each.rule.startswith("hidden-"))
    assert (found.rule, texts_of(found, "of_load")) == (rule, ["orders"])
    assert texts_of(found, "load") == ["10 users of clerks and 50/s of orders"]
    assert found.figure("longest_service_ms") >= found.figure("service_p99_ms")


def with_robots(robots_per_s: list[int], repeat: int = 0) -> Recording:
    """A thousand a second of the clerks, who hide what the robots do."""
    crowd = {"clerks": {"load": {"closed": {"users": 10}}}, "robots": {"load": {"closed": {"users": 1}}}}
    random = np.random.default_rng(repeat)
    seconds = []
    for index, robots in enumerate(robots_per_s):
        of_clerks = snapshot(index, statistics(round(1000 + 30 * random.standard_normal()), 10.0), users=10)
        of_robots = snapshot(index, statistics(robots, 1e3 / robots), users=1)
        seconds.append(
            replace(
                of_clerks,
                transactions=add([of_clerks.transactions, of_robots.transactions]),
                users=11,
                loads={"clerks": of_clerks, "robots": of_robots},
            )
        )
    job: dict[str, Any] = {"personas": crowd, "load": None}
    return recording(snapshots=seconds, job=job, repeat=repeat)


def test_a_small_persona_that_is_not_flat_is_told_beside_a_large_one() -> None:
    fell = [with_robots([10] * 25 + [5] * 25, repeat) for repeat in range(5)]
    level = level_of(fell)
    (reason,) = reasons(level.findings)
    (trend,) = reason.because
    assert (reason.rule, trend.rule, trend.load) == ("disturbed-beyond-use", "trend", "robots")
    assert level.trust.verdict == level.loads["robots"].trust.verdict == "INVALID"
    (step,) = (each for each in level.findings if each.rule == "step")
    assert (step.load, step.row.grade) == ("robots", "VALID")
    assert not measure(fell[0]).is_flat, "a live level is measured longer"
    steady = level_of([with_robots([10] * 50, repeat) for repeat in range(5)])
    assert steady.trust.verdict == "VALID", rules(steady)


def test_what_is_said_of_the_sum_is_not_said_again_of_each_persona() -> None:
    level = level_of([with_robots([50] * 5)])
    (found,) = (each for each in level.findings if each.rule == "few-intervals")
    assert (found.load, found.figure("intervals")) == ("", 5)


def test_two_groups_of_runs_of_a_small_persona_are_told() -> None:
    runs = [with_robots([50 if repeat % 2 else 25] * 50, repeat) for repeat in range(10)]
    assert "robots" in [each.load for each in level_of(runs).findings if each.rule == "two-groups"]


def test_a_snapshot_without_one_of_the_personas_is_damage() -> None:
    made = usual()
    del made.snapshots[4].loads["orders"]
    (line,) = recording_from_events(events(made)).damage
    assert line.kind == "event-malformed"
    assert "orders" in line.error


def test_a_persona_that_did_nothing_leaves_the_ratio_of_the_others() -> None:
    idle = [together(clerks_for(i, 30.0), orders_for(i, Statistics())) for i in range(10)]
    of_a = [usual(repeat, system="A") for repeat in range(5)]
    of_b = [of_both(idle, repeat=repeat, system="B") for repeat in range(5)]
    result = result_of(read([*of_a, *of_b]))
    assert {ratio.load for ratio in result.ratios} == {"clerks"}
    (found,) = (each for each in result.findings if each.rule == "loads-without-work")
    assert [text.partition(" ")[0] for text in texts_of(found, "load")] == ["orders"]


def test_a_level_that_is_invalid_is_the_reason_why_there_is_no_interval() -> None:
    failing = [
        together(clerks_for(i), orders_for(i, statistics(RATE - 5, 20.0, failed=5))) for i in range(10)
    ]
    of_a = [usual(repeat, system="A") for repeat in range(5)]
    of_b = [of_both(failing, repeat=repeat, system="B") for repeat in range(5)]
    top = " ".join(headline(result_of(read([*of_a, *of_b]))))
    assert "the level of B is INVALID" in top
    assert "too few runs" not in top


def compared(slower: float) -> Result:
    of_a = [usual(repeat, system="A") for repeat in range(5)]
    of_b = [usual(repeat, 10.0 * slower, system="B") for repeat in range(5)]
    systems = read([*of_a, *of_b])
    return result_of(systems)


def test_each_persona_is_compared_by_what_its_load_decides_by() -> None:
    result = compared(3.0)
    by_quantity = {(ratio.load, ratio.quantity): ratio for ratio in result.ratios}
    assert {key for key, ratio in by_quantity.items() if ratio.decides} == {
        ("clerks", "throughput"),
        ("orders", "mean response time"),
    }
    clerks = by_quantity["clerks", "throughput"]
    assert clerks.answer == "slower"
    # 10 users over 30 ms and 90 ms of think time, instead of over 10 ms and 90 ms.
    assert clerks.ratio.value == pytest.approx(0.83, rel=0.01)
    assert by_quantity["clerks", "mean response time"].ratio.value == pytest.approx(3, rel=0.01)
    assert by_quantity["orders", "mean response time"].answer == "equivalent"
    told = {
        (each.rule, each.part("system").text, each.part("quantity").text): each
        for each in result.observations
    }
    assert told["slower", "B (clerks)", "throughput"].figure("ratio") == pytest.approx(0.83, rel=0.01)
    assert ("equivalent", "B (orders)", "mean response time") in told
    assert ("times-longer", "B (clerks)", "mean response time") in told
    top = headline(result)
    assert any(text.startswith("B (clerks) is 17.0 % slower than A (clerks) at ") for text in top), top


def test_levels_differ_in_the_load_of_any_persona() -> None:
    def at(users: int, rate: float, level: int) -> Recording:
        personas = {
            "clerks": {"params": {}, "load": {"closed": {"users": users}}},
            "orders": {"params": {}, "load": {"open": {"rate_per_s": rate}}},
        }
        return replace(usual(level=level), job={**usual().job, "personas": personas})

    (system,) = read([at(2, 5.0, 0), at(2, 6.0, 1), at(3, 4.0, 2), at(4, 1.0, 3)])
    assert [level.level for level in system.levels] == [0, 1, 2, 3]
    assert system.peak is None
    assert system.unnamed["peak"].rule == "several-loads"
    other = replace(usual(), job={**usual().job, "personas": {"clerks": PERSONAS["clerks"]}})
    assert len(read([usual(), other])) == 2, "other personas are another system"
