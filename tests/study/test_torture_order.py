"""The order of a run of many hours: segments until the time is over, on the targets that are left."""

from __future__ import annotations

from typing import Any

import pytest

from igen.aspects.torture.segments import segments_of
from igen.errors import IgenError, InputError
from igen.fleet.agent import Agent
from igen.judge.record.form import Message
from igen.judge.record.recording import Recording
from igen.judge.record.snapshot import Snapshot, Statistics
from igen.study.levels import PlannedLevel
from igen.study.order import Reached
from igen.study.orders.torture import TortureOrder
from igen.study.planned import planned_levels
from igen.study.plans import TorturePlan
from igen.study.segment import segment_job, segment_s
from igen.study.study import Study

TARGETS = [f"file:///{name}" for name in "abc"]


class Checker(Agent):
    """Finds every job right."""

    def __init__(self) -> None:
        """There is no program behind it."""

    def check(self, job: dict[str, Any]) -> dict[str, Any]:
        """As it is, with what every checked job has."""
        return {"canary_s": 0.0, **job}


def order(total_s: float, done: list[Reached] | None = None, **params: Any) -> TortureOrder:
    job = {
        "workload": "io",
        "targets": TARGETS,
        "params": params,
        "load": {"closed": {"users": 7}},
        "phases": {"ramp_s": 0.0, "warmup_s": 0.0, "measure_s": 10.0, "interval_s": 1.0},
        "canary_s": 0.0,
    }
    level = PlannedLevel(number=0, values={"load.closed.users": 7}, job=job)
    return TortureOrder(total_s, level, Checker(), segments_of(each.recording for each in done or []))


def recorded(job: dict[str, Any], measured_s: float | None = None, failed: int = 0, **rest: Any) -> Reached:
    """What became of a segment that measured as long as planned."""
    length_s = job["phases"]["measure_s"] if measured_s is None else measured_s
    each = Statistics(count=100, failed=failed)
    values: dict[str, Any] = {"users": 7, "operations": {}, "counters": {}, "failures": {}, "arrivals": None}
    targets = [each for _ in job["targets"]]
    measure = Snapshot(
        phase="measure", start_s=0, end_s=length_s, transactions=each, targets=targets, **values
    )
    snapshots = [measure] if length_s else []
    return Reached(recording=Recording(job=job, snapshots=snapshots, outcome="complete", **rest))


@pytest.mark.parametrize(
    ("total_s", "length_s"), [(720_000, 600), (12_000, 600), (6_000, 300), (20, 1), (5, 1), (0.5, 0.5)]
)
def test_segments_are_shorter_where_the_run_is(total_s: float, length_s: float) -> None:
    assert segment_s(total_s) == length_s


def test_half_of_it_is_written_and_all_verified_unless_said_otherwise() -> None:
    job = segment_job({"params": {"block": "4KiB"}, "phases": {"warmup_s": "3s"}}, 7200)
    assert job["params"] == {"read": 50, "block": "4KiB", "verify": True}
    assert job["phases"] == {"measure_s": 360, "warmup_s": "3s", "interval_s": 12.0}
    assert segment_job({"params": {"read": 0}}, 7200)["params"]["read"] == 0
    assert segment_job({"phases": {"measure_s": "1min"}}, 7200)["phases"]["measure_s"] == 60


def test_the_last_segment_takes_what_is_left_and_no_crumbs() -> None:
    run = order(34.8)
    lengths = []
    for execution in run.executions():
        lengths.append(execution.job["phases"]["measure_s"])
        run.hear(execution, recorded(execution.job, measured_s=10.1 if len(lengths) == 1 else None))
    assert lengths == [10, 10, 10, pytest.approx(4.7)]


def test_it_goes_on_where_it_ended() -> None:
    done = [recorded(next(order(1).executions()).job, 10) for _ in range(3)]
    run = order(50, done)
    executions = []
    for execution in run.executions():
        executions.append(execution)
        run.hear(execution, recorded(execution.job, 10))
    assert [execution.repeat for execution in executions] == [3, 4]


def test_only_what_nobody_has_loaded_yet_is_preconditioned() -> None:
    run = order(30, precondition=True, depth=8)
    told = []
    for execution in run.executions():
        told.append(execution.job["params"])
        # The first ended in its warm-up.
        run.hear(execution, recorded(execution.job, 10 if len(told) > 1 else 0))
    first, later = ({"precondition": value, "depth": 8} for value in (True, False))
    assert told == [first, first, later, later]


def test_a_target_with_data_errors_is_loaded_no_more_and_others_keep_their_users() -> None:
    run = order(40)
    told, jobs = [], []
    for execution in run.executions():
        jobs.append(execution.job)
        verified = [{"target": "/b", "faults": {"torn": {"blocks": 1, "first": []}}}]
        facts = {"io.verified": verified} if len(jobs) == 2 else {}
        failed = 3 * (len(jobs) > 2)
        heard = run.hear(execution, recorded(execution.job, 10, failed=failed, facts=facts))
        told.append([each.partition(" ")[0] for each in heard.incidents])
    assert told == [[], [], [TARGETS[0], TARGETS[2]], []], "a job reports its data errors itself"
    assert [job["targets"] for job in jobs] == [
        TARGETS,
        TARGETS,
        [TARGETS[0], TARGETS[2]],
        [TARGETS[0], TARGETS[2]],
    ]
    # Of 7 users a has 3, b and c have 2 each.
    assert [job["load"]["closed"]["users"] for job in jobs] == [7, 7, 5, 5]


def test_it_ends_when_no_target_is_left_or_nothing_goes() -> None:
    run = order(1000)
    for number, execution in enumerate(run.executions()):
        run.hear(execution, recorded(execution.job, 10, errors=[Message(f"gone {number}", "targets[0]")]))
    assert number == 2
    run = order(1000)
    executions = run.executions()
    for _ in range(3):
        execution = next(executions)
        run.hear(execution, recorded(execution.job, 0))
    with pytest.raises(IgenError, match="nothing was measured in 3 segments in a row"):
        next(executions)


def test_it_goes_at_one_load() -> None:
    phases = {"ramp_s": 0.0, "warmup_s": 0.0, "measure_s": 10.0, "interval_s": 1.0}
    two = Study(
        name="io",
        job={"phases": phases},
        axes={"load.closed.users": [1, 2]},
        plan=TorturePlan(under_load_s=1),
    )
    with pytest.raises(InputError, match="a torture run needs one load"):
        planned_levels(two, Checker())
