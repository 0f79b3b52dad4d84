"""The load options: one list for `igen run` and `igen ab`, with one meaning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pytest

from igen.ask.asked import QUESTIONS, Asked
from igen.ask.study import study_of_asked
from igen.cli.ab import ab
from igen.cli.load_options import asked_options
from igen.cli.run import run
from igen.cli.side_by_side import plan_of, sides_of
from igen.errors import InputError
from igen.fleet.plan import FleetPlan
from igen.study.study import Study

PLAN = {name for name, question in QUESTIONS.items() if question.group == "plan"} - {"repeats"}
"""Options of `igen run` that choose another plan than a sweep, or name its one system."""


@click.command()
@asked_options("load")
def loaded(**_flags: Any) -> None:
    """Has the load options alone."""


def flags(line: str) -> Asked:
    return Asked(**loaded.make_context("loaded", line.split()).params)


def of_file(tmp_path: Path, text: str, line: str) -> Study:
    path = tmp_path / "study.toml"
    path.write_text(text, encoding="utf-8")
    return plan_of(str(path), flags(line))


def test_ab_has_every_option_of_run_that_does_not_choose_another_plan() -> None:
    of_ab = {option.name for option in ab.params}
    assert {option.name for option in run.params} - of_ab == PLAN | {"workload", "resume"}
    assert {"fail_if_slower", "fail_if", "junit", "strict"} <= of_ab


@pytest.mark.parametrize(
    "line",
    [
        "",
        "--users 1,2 --think-time uniform:5s,15s --target sqlite:///a.db --target sqlite:///b.db",
        "--rate 100,200 --arrivals poisson --users 4 --warmup 1s --duration 2s",
        "--users 2 --pace 10/s --seed 7 --pin --no-precise --force --i-own-this-data --verify --set a=1",
        "--agents 2 --fleet auto --on-loss continue --insecure --response-time-limit 30ms",
    ],
)
def test_both_commands_mean_the_same_load(line: str) -> None:
    assert plan_of("model", flags(line)) == study_of_asked("model", flags(line))


CLOSED = """
plan = { mode = "sweep", repeats = 3 }
fail_if = ["errors > 0"]
[job]
workload = "model"
params = { service_time = "5ms", servers = 1 }
[job.load.closed]
think_time_s = { uniform = [1.0, 2.0] }
[job.phases]
measure_s = "5s"
[fleet]
agents = 3
lease = "9s"
[axes]
"load.closed.users" = [1, 2]
"""


def test_flags_are_laid_over_the_load_of_a_file(tmp_path: Path) -> None:
    line = "--think-time exponential:1s --set servers=2 --users 4 --warmup 1s --on-loss continue"
    made = of_file(tmp_path, CLOSED, f"{line} --fail-if errors>1")
    assert made.job == {
        "workload": "model",
        "params": {"service_time": "5ms", "servers": 2},
        "load": {"closed": {"think_time_s": {"exponential": 1.0}}},
        "phases": {"measure_s": "5s", "warmup_s": "1s"},
    }
    assert made.axes == {"load.closed.users": [4]}
    assert made.fleet == FleetPlan(agents=3, lease="9s", on_loss="continue")
    assert made.fail_if == ["errors > 0", "errors>1"]


def test_a_flag_that_was_not_given_changes_nothing_of_a_file(tmp_path: Path) -> None:
    from igen.study.study import load_study

    made = of_file(tmp_path, CLOSED, "")
    assert made == load_study(tmp_path / "study.toml")


def test_another_load_model_replaces_the_load_of_a_file(tmp_path: Path) -> None:
    made = of_file(tmp_path, CLOSED, "--rate 100 --arrivals poisson")
    assert (made.job["load"], made.axes) == (
        {"open": {"arrivals": "poisson"}},
        {"load.open.rate_per_s": [100.0]},
    )


def test_users_of_a_paced_file_are_paced_users(tmp_path: Path) -> None:
    text = CLOSED.replace("think_time_s = { uniform = [1.0, 2.0] }", "rate_per_user_per_s = 5.0")
    made = of_file(tmp_path, text.replace("closed", "paced"), "--users 8")
    assert (made.job["load"], made.axes) == (
        {"paced": {"rate_per_user_per_s": 5.0}},
        {"load.paced.users": [8]},
    )


def test_flags_of_several_loads_at_once_do_not_say_whose_they_are(tmp_path: Path) -> None:
    text = """
[job]
workload = "model"
[job.personas.clerks.load.closed]
users = 1
"""
    for line, where in [
        ("--users 2", "--users"),
        ("--rate 2", "--rate"),
        ("--think-time 1s", "--think-time"),
        ("--set servers=2", "--set"),
    ]:
        with pytest.raises(InputError) as caught:
            of_file(tmp_path, text, line)
        assert caught.value.where == where
    assert of_file(tmp_path, text, "--duration 1s").job["phases"] == {"measure_s": "1s"}


def test_two_words_are_two_programs_even_if_workloads_have_these_names() -> None:
    name, sides = sides_of(["oltp", "./new --fast"], "", None, {})
    assert name == "command"
    assert [(side.name, side.job) for side in sides] == [
        (text, {"params": {"run": text}}) for text in ("oltp", "./new --fast")
    ]


def test_one_word_is_a_workload_and_never_a_program() -> None:
    name, sides = sides_of(["oltp"], "", "synchronous=off", {})
    assert (name, [side.job for side in sides]) == ("oltp", [{}, {"params": {"synchronous": "off"}}])


@pytest.mark.parametrize(
    ("words", "a", "b", "params", "where"),
    [
        (["oltp"], "", None, {}, "--b"),
        (["oltp"], "x=1", "x=1", {}, "--b"),
        (["./old", "./new"], "x=1", None, {}, "--a"),
        (["./old", "./new"], "", "x=1", {}, "--b"),
        (["./old", "./new"], "", None, {"run": "./other"}, "--set run"),
        (["./old", " ./old"], "", None, {}, "B"),
        (["sort", "big.txt", "sort"], "", None, {}, "A B"),
    ],
)
def test_a_command_line_without_two_sides_is_refused(
    words: list[str], a: str, b: str | None, params: dict[str, Any], where: str
) -> None:
    with pytest.raises(InputError) as caught:
        sides_of(words, a, b, params)
    assert caught.value.where == where
    assert caught.value.hint
