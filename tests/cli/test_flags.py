from __future__ import annotations

from typing import Any

import click
import pytest

from igen.ask.asked import QUESTIONS, Asked, load_path, options_by_path
from igen.ask.study import with_asked
from igen.cli.flags import in_terms_of_flags
from igen.cli.run import run as run_command
from igen.errors import InputError
from igen.study.plans import PeakPlan, SweepPlan, TorturePlan
from igen.study.study import Study
from tests.run_flags import run_study


def study(line: str) -> Study:
    """The study that a command line means."""
    return run_study(line.split())


@pytest.mark.parametrize(
    ("line", "load", "axes"),
    [
        ("cpu", {"closed": {}}, {"load.closed.users": [1]}),
        ("cpu --users 1,2,4", {"closed": {}}, {"load.closed.users": [1, 2, 4]}),
        ("cpu --users 8 --think-time 1s", {"closed": {"think_time_s": 1.0}}, {"load.closed.users": [8]}),
        (
            "cpu --users 8 --think-time uniform:5s,0.5min",
            {"closed": {"think_time_s": {"uniform": [5.0, 30.0]}}},
            {"load.closed.users": [8]},
        ),
        (
            "cpu --users 8 --think-time exponential:80ms",
            {"closed": {"think_time_s": {"exponential": 0.08}}},
            {"load.closed.users": [8]},
        ),
        (
            "oltp --users 2 --pace 600/min",
            {"paced": {"rate_per_user_per_s": 10.0}},
            {"load.paced.users": [2]},
        ),
        ("oltp --rate 100,200", {"open": {}}, {"load.open.rate_per_s": [100.0, 200.0]}),
        (
            "model --rate 100/s --users 1 --arrivals poisson",
            {"open": {"arrivals": "poisson"}},
            {"load.open.rate_per_s": [100.0], "load.open.users": [1]},
        ),
    ],
)
def test_flags_choose_the_load_model_and_its_levels(
    line: str, load: dict[str, Any], axes: dict[str, list[Any]]
) -> None:
    made = study(line)
    assert (made.job["load"], made.axes) == (load, axes)


def test_every_flag_has_its_place() -> None:
    made = study(
        "oltp --target sqlite:///a.db --target sqlite:///b.db --duration 10s --warmup 2s --repeats 3 --seed 7"
        " --set customers=1000 --set mode=six --set size=512MiB --set exact=true --set sizes=[1]"
        " --name before --pin --no-precise --force --response-time-limit 30ms"
    )
    assert made.job == {
        "workload": "oltp",
        "targets": ["sqlite:///a.db", "sqlite:///b.db"],
        "params": {"customers": 1000, "mode": "six", "size": "512MiB", "exact": True, "sizes": "[1]"},
        "load": {"closed": {}},
        "phases": {"measure_s": "10s", "warmup_s": "2s"},
        "load_seed": 7,
        "placement": {"thread": {"pin": True}, "precise": False},
        "force": True,
    }
    assert (made.name, made.system, made.plan) == ("oltp", "before", SweepPlan(3))
    assert made.response_time_limit == pytest.approx(0.03)


def test_threads_are_a_number_or_left_to_a_pilot() -> None:
    assert study("http --threads 2").job["placement"] == {"task": {"threads": 2}}
    for line in ("http", "http --threads auto"):
        assert "placement" not in study(line).job


def test_pilots_may_choose_where_a_study_says_a_number() -> None:
    made = Study(
        name="s", job={"workload": "http", "placement": {"task": {"threads": 2}, "scheduling": "batch"}}
    )
    assert with_asked(made, Asked()).job["placement"] == made.job["placement"]
    assert with_asked(made, Asked(threads="auto")).job["placement"] == {"scheduling": "batch"}


def test_no_time_needs_no_unit() -> None:
    made = study("cpu --duration 10s --warmup 0 --think-time 0")
    assert made.job["phases"] == {"measure_s": "10s", "warmup_s": "0"}
    assert made.job["load"] == {"closed": {"think_time_s": 0.0}}


def test_what_nobody_said_is_left_to_the_agent() -> None:
    assert study("cpu").job == {"workload": "cpu", "targets": [], "params": {}, "load": {"closed": {}}}


def test_a_search_keeps_the_users_as_its_range() -> None:
    made = study("cpu --find-peak --users 1,64")
    assert made.plan == PeakPlan()
    assert made.axes == {"load.closed.users": [1, 64]}


def test_a_torture_is_verified_in_segments_that_may_be_said() -> None:
    made = study("io --torture 2h --duration 5min --users 4 --set read=70")
    assert (made.plan, made.job["params"]) == (TorturePlan(7200.0), {"read": 70, "verify": True})
    assert made.job["phases"]["measure_s"] == 300


@pytest.mark.parametrize(
    ("line", "where"),
    [
        ("cpu --users 0", "--users"),
        ("cpu --users -3", "--users"),
        ("cpu --users 1,two", "--users"),
        ("cpu --users 1.5", "--users"),
        ("cpu --users 2,2", "--users"),
        ("cpu --users ,", "--users"),
        ("cpu --rate 0", "--rate"),
        ("cpu --rate 5ms", "--rate"),
        ("cpu --think-time 5parsecs", "--think-time"),
        ("cpu --pace fast", "--pace"),
        ("cpu --response-time-limit 0", "--response-time-limit"),
        ("cpu --response-time-limit soon", "--response-time-limit"),
        ("cpu --think-time 5", "--think-time"),
        ("cpu --think-time uniform:5,15s", "--think-time"),
        ("cpu --response-time-limit 30", "--response-time-limit"),
        ("cpu --duration 10", "--duration"),
        ("cpu --duration 1e1", "--duration"),
        ("cpu --duration .5", "--duration"),
        ("cpu --warmup 2", "--warmup"),
        ("io --torture 3600", "--torture"),
        ("cpu --set novalue", "--set"),
        ("cpu --set a=1 --set a=2", "--set a"),
        ("cpu --repeats " + "9" * 5000, "--repeats"),
        ("cpu --users " + "9" * 5000, "--users"),
        ("cpu --set =5", "--set"),
        ("cpu --repeats 0", "--repeats"),
        ("cpu --seed x", "--seed"),
        ("http --threads 0", "--threads"),
        ("http --threads 65536", "--threads"),
        ("http --threads many", "--threads"),
        ("cpu --rate 5 --think-time 1s", "--think-time"),
        ("cpu --pace 5 --think-time 1s", "--think-time"),
        ("cpu --pace 5 --rate 5", "--pace"),
        ("cpu --arrivals poisson", "--arrivals"),
        ("cpu --rate 5 --find-peak", "--rate"),
        ("cpu --find-peak --repeats 3", "--repeats"),
        ("cpu --find-peak --repeats auto", "--repeats"),
        ("io --torture 1h --find-peak", "--torture"),
        ("io --torture 1h --repeats 3", "--repeats"),
        ("cpu --torture 1h", "--torture"),
    ],
)
def test_bad_flags_are_named_with_a_remedy(line: str, where: str) -> None:
    with pytest.raises(InputError) as caught:
        study(line)
    assert caught.value.where == where
    assert caught.value.hint or "twice" in caught.value.text


@pytest.mark.parametrize("line", ["cpu --arrivals sometimes", "", "cpu --nonsense"])
def test_what_click_refuses_stays_with_click(line: str) -> None:
    with pytest.raises(click.UsageError):
        study(line)


@pytest.mark.parametrize(
    ("path", "flag"),
    [
        ("load.closed.users", "--users"),
        ("phases.measure_s", "--duration"),
        ("params.bytes_per_user", "--set bytes_per_user"),
        ("params", "--set"),
        ("targets[0]", "--target"),
        ("placement.thread", "--pin"),
        ("placement.task", "--threads"),
        ("placement.task.threads", "--threads"),
        ("placement.precise", "--precise"),
        ("phases.drain_s", "phases.drain_s"),
        ("level 1", "level 1"),
        ("", ""),
    ],
)
def test_a_place_in_a_job_is_named_by_its_flag(path: str, flag: str) -> None:
    assert in_terms_of_flags(InputError("wrong", where=path)).where == flag


def test_a_question_has_at_most_one_path_in_a_load_model() -> None:
    for name, question in QUESTIONS.items():
        for path in question.at:
            if path.startswith("load."):
                assert load_path(name, path.split(".")[1]) == path


def test_every_question_is_an_option_with_its_help() -> None:
    known = {parameter.opts[0]: parameter for parameter in run_command.params}
    assert set(options_by_path().values()) <= {*known, "WORKLOAD"}
    for name, question in QUESTIONS.items():
        option = known[question.option]
        assert isinstance(option, click.Option)
        assert option.name == name
        assert option.help is not None
        assert option.help.startswith(question.help)
