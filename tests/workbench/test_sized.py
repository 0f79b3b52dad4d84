"""Studies that size themselves, with the real agent: the plan that a pilot makes, not the time it takes."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from igen.ask.asked import Asked
from igen.cli.side_by_side import plan_of, sides_of, with_sides
from igen.errors import IgenError
from igen.fleet.agent import Agent
from igen.fleet.plan import FleetPlan
from igen.study.planned import planned_levels
from igen.study.plans import PeakPlan
from igen.study.sizing import BUDGET_S, LEAST_S, STEPS_S
from igen.study.study import Study, StudySystem
from igen.workbench.sized import sized
from tests.run_flags import run_study


def study(line: str) -> Study:
    return run_study(line.split())


def planned_s(made: Study) -> float:
    """Sum of the phases of all executions."""
    repeats = made.plan.known_repeats
    assert repeats is not None
    return repeats * sum(level.duration_s for level in planned_levels(made, Agent()))


def silently(made: Study) -> Study:
    return sized(made, say=lambda _text: None, hear=lambda _event: None)


@pytest.mark.parametrize("line", ["noop", "model --users 1,2,4", "cpu --pace 20/s", "model --rate 50"])
def test_all_phases_of_a_run_are_planned_within_the_budget(line: str) -> None:
    made = silently(study(line))
    assert made.job["phases"]["measure_s"] in STEPS_S
    assert planned_s(made) <= BUDGET_S


def test_two_programs_are_planned_within_the_budget() -> None:
    name, sides = sides_of(["true", "sleep 0.01"], "", None, {})
    made = silently(with_sides(plan_of(name, Asked()), sides, 5, None))
    assert planned_s(made) <= BUDGET_S


@pytest.mark.parametrize("line", ["noop --duration 7s", "io --torture 1h"])
def test_what_says_how_long_it_measures_is_left_alone(line: str) -> None:
    made = study(line)
    assert silently(made) is made


def test_a_warmup_that_was_asked_for_stays() -> None:
    made = silently(study("noop --warmup 1s"))
    assert made.job["phases"]["warmup_s"] == "1s"
    assert planned_s(made) <= BUDGET_S


def test_either_server_that_is_down_is_found_by_the_trial() -> None:
    name, sides = sides_of(["http"], "path=/", "target=http://127.0.0.1:1/", {})
    flags = {"duration": "1h", "targets": ["http://127.0.0.1:2/"]}
    with pytest.raises(IgenError):
        silently(with_sides(plan_of(name, Asked(**flags)), sides, 5, None))


def test_a_trial_creates_nothing(tmp_path: Path) -> None:
    name, sides = sides_of(["bank"], "synchronous=full", "synchronous=normal", {})
    flags = {"duration": "1h", "targets": [f"sqlite:///{tmp_path}/bank.db"]}
    silently(with_sides(plan_of(name, Asked(**flags)), sides, 5, None))
    assert not [*tmp_path.iterdir()]


def test_a_trial_watches_no_tier() -> None:
    load = {"closed": {"users": 1}}
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as server:  # ends with its input
        tiers = [{"name": "server", "match": {"pids": [server.pid]}}]
        job = {"workload": "noop", "load": load, "phases": {"measure_s": "1h"}, "tiers": tiers}
        made = Study(name="s", job=job, systems=[StudySystem(name="a"), StudySystem(name="b")])
        assert silently(made) is made


def test_a_search_has_short_measurements_and_an_end() -> None:
    said: list[str] = []
    made = sized(study("noop --find-peak"), say=said.append, hear=lambda _event: None)
    assert made.job["phases"]["measure_s"] == LEAST_S
    assert isinstance(made.plan, PeakPlan)
    assert made.plan.within_s is not None
    assert made.plan.within_s <= BUDGET_S
    assert len(said) == 1
    explicit = study("noop --find-peak --duration 1s")
    assert silently(explicit).plan == PeakPlan()


def test_a_fleet_has_no_pilot() -> None:
    heard: list[dict[str, Any]] = []
    made = msgspec.structs.replace(study("noop"), fleet=FleetPlan(agents=2, address="tcp://127.0.0.1:7000"))
    assert "phases" in sized(made, say=lambda _text: None, hear=heard.append).job
    assert not heard


@pytest.mark.parametrize("duration", [None, "1h"])
@pytest.mark.parametrize(("old", "new"), [("nosuchprogram", "true"), ("true", "nosuchprogram")])
def test_either_program_that_fails_ends_the_run_before_the_load(
    old: str, new: str, duration: str | None
) -> None:
    name, sides = sides_of([old, new], "", None, {})
    with pytest.raises(IgenError) as caught:
        silently(with_sides(plan_of(name, Asked(duration=duration)), sides, 5, None))
    assert caught.value.exit_code == 1
    assert "127" in caught.value.text


def test_a_pilot_prepares_and_lets_hear_it(tmp_path: Path) -> None:
    heard: list[dict[str, Any]] = []
    made = study(f"bank --target sqlite:///{tmp_path}/bank.db --users 1,2")
    silent = sized(made, say=lambda _text: None, hear=heard.append)
    assert any("phase" in event for event in heard)
    assert (tmp_path / "bank.db").exists()
    assert planned_s(silent) <= BUDGET_S
