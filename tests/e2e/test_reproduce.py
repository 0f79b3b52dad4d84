"""The command that a report prints is one that the command line takes, and means the same jobs."""

from __future__ import annotations

import shlex
from dataclasses import replace

import pytest

from igen.fleet.agent import Agent
from igen.judge.result import System
from igen.report.reproduce import command
from igen.study.levels import PlannedLevel, level, search_range
from igen.study.planned import planned_levels
from igen.study.plans import SweepPlan
from igen.study.study import Study, with_load_seed
from tests.report import sample
from tests.run_flags import run_study


def study(words: list[str]) -> Study:
    """The study that the words after `igen run` mean."""
    return run_study(words)


def recorded(made: Study, levels: list[PlannedLevel], purpose: str) -> System:
    """A result whose levels ran these jobs once each."""
    system = sample.one_system().systems[0]
    shown = system.levels[0]
    repeats = [replace(shown.repeats[0], purpose=purpose)]
    job = levels[0].job
    return replace(
        system,
        name=made.system,
        workload=job["workload"],
        targets=job["targets"],
        params=job["params"],
        job=job,
        levels=[
            replace(
                shown,
                repeats=repeats,
                load=each.job["load"],
                users=next(iter(each.job["load"].values())).get("users"),
            )
            for each in levels
        ],
    )


def words_after_run(printed: str) -> list[str]:
    igen, run, *words = shlex.split(printed)
    assert (igen, run) == ("igen", "run")
    return words


@pytest.mark.parametrize(
    "line",
    [
        "cpu --users 1,2,4 --set variant=throughput",
        "cpu --users 2 --duration 0.3s --warmup 100ms --pin --seed 7",
        "ram --users 1 --set bytes_per_user=16MiB --force",
        "model --users 1,8 --think-time 250us --set service=deterministic --set service_time=5ms",
        "model --users 2,3 --pace 6/min --warmup 0s",
        "model --rate 100.125,200 --arrivals poisson --users 1,4",
        "model --rate 1000000/s",
        "oltp --target sqlite:///shop.db --set customers=200 --set synchronous=normal",
        "bank --target postgresql://igen@db.lab/bank --set session_variables.commit_delay=200",
    ],
)
def test_the_printed_command_means_the_same_jobs(line: str) -> None:
    made = with_load_seed(study([*line.split(), "--repeats", "1", "--name", "a system"]))
    levels = planned_levels(made, Agent())
    again = study(words_after_run(command(recorded(made, levels, "sweep"))))
    assert [each.job for each in planned_levels(again, Agent())] == [each.job for each in levels]
    assert (again.system, again.plan) == (made.system, SweepPlan(1))


@pytest.mark.parametrize("line", ["cpu --users 2,8", "model --users 1,8 --pace 10/s --duration 1s"])
def test_a_search_is_printed_as_the_search_that_it_was(line: str) -> None:
    made = with_load_seed(study([*line.split(), "--find-peak", "--name", "a system"]))
    axis, first, largest = search_range(made)
    tried = [level(made, number, {axis: users}, Agent()) for number, users in enumerate((first, largest, 4))]
    printed = command(recorded(made, tried, "search"))
    assert "--repeats" not in printed
    again = study(words_after_run(printed))
    assert again.plan == made.plan
    assert search_range(again) == search_range(made)
    assert [each.job for each in planned_levels(again, Agent())] == [tried[0].job]
