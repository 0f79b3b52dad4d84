"""`igen noise plan`, and what `igen ab` and `igen noise measure` make of their arguments."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from igen.ask.asked import Asked as Answers
from igen.cli import run_arguments
from igen.cli.noise.measure import VISIBLE_PAIRS, noise_lines
from igen.cli.side_by_side import job_of, plan_of, sides_of, with_sides
from igen.errors import InputError
from igen.judge import analyse, result_of
from igen.judge.compare.answers import Asked, answers
from igen.judge.compare.shares import error_of_load
from igen.judge.figure.effect import percent, visible_with
from igen.judge.figure.interval import paired_ratio
from igen.judge.figure.pairs import Pairs
from igen.judge.trust.rules.comparison import DEFAULT_MARGIN
from igen.store.noise import NoiseSession, add_noise, read_noise
from igen.study import noise
from igen.study.orders.sweep import MOST_UNTIL_DECIDED
from igen.study.plans import SweepPlan
from igen.study.study import with_load_seed
from tests.judge.synthetic import recording


def session(workload: str, spread: float, started_unix_s: float = 0.0, host: str = "") -> NoiseSession:
    steps = (1.0, 1 + spread, 1 - spread, 1.0)
    return NoiseSession(
        host=host or noise.host_name(),
        workload=workload,
        settings={"load": {"closed": {"users": 1}}, "workload": workload},
        run="r",
        started_unix_s=started_unix_s,
        pairs={"throughput": [(100 * x, 100 * y) for x, y in zip(steps, reversed(steps), strict=True)]},
    )


def planned(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, float]:
    assert run_arguments(["noise", "plan", *arguments, "--json"]) == 0
    found: dict[str, float] = json.loads(capsys.readouterr().out)
    return found


def test_repeats_for_a_difference(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    found = planned(capsys, "--see", "2%", "--noise", "2%", "--session-noise", "0.01%")
    assert (found["stored_runs"], found["error_percent"]) == (20, pytest.approx(3.0))
    correlated = planned(capsys, "--see", "2%", "--noise", "2%", "--correlation", "0.92")
    assert correlated["pairs"] == 5
    many = planned(capsys, "--see", "2%", "--noise", "2%", "--session-noise", "0.01%", "--loads", "4")
    assert many["error_percent"] == pytest.approx(1.0)
    assert many["stored_runs"] > found["stored_runs"]


def test_noise_between_sessions_that_nobody_measured_is_assumed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """As a comparison of stored runs assumes it."""
    arguments = ["--see", "2%", "--noise", "2%", "--store", str(tmp_path)]
    found = planned(capsys, *arguments)
    assert (found["session_noise_percent"], found["session_noise_is_assumed"]) == (4.0, True)
    assert (found["stored_runs"], found["pairs"]) == (None, 22)
    assert run_arguments(["noise", "plan", *arguments]) == 0
    told = capsys.readouterr().out
    assert "and 4 % between sessions, which is assumed" in told
    assert "stored runs (`igen compare`)   no number of repeats of each" in told
    # As the page on comparing two runs has it: below some 19 %.
    quiet = ["--noise", "0.1%", "--store", str(tmp_path)]
    assert planned(capsys, "--see", "18.5%", *quiet)["stored_runs"] is None
    assert planned(capsys, "--see", "19.5%", *quiet)["stored_runs"] is not None


def test_the_noise_comes_from_the_store(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run_arguments(["noise", "plan", "--see", "2%", "--store", str(tmp_path)]) == 2
    assert "measure it with `igen noise measure`" in capsys.readouterr().err
    for number in range(3):
        add_noise(tmp_path, session("cpu", 0.01, number))
    small = planned(capsys, "--see", "2%", "--store", str(tmp_path))
    assert small["noise_percent"] == pytest.approx(0.816, abs=0.01)
    for_others = planned(capsys, "--see", "2%", "--workload", "oltp", "--store", str(tmp_path))
    assert for_others == small, "for want of its own the noisiest other"
    assert run_arguments(["noise", "plan", "--see", "2%", "--store", str(tmp_path)]) == 0
    assert "measured by `igen noise` with cpu" in capsys.readouterr().out


def test_where_repeats_until_decided_would_end_undecided_that_is_said(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def row(see: str) -> str:
        assert run_arguments(["noise", "plan", "--see", see, "--noise", "5%", "--store", str(tmp_path)]) == 0
        (text,) = (line for line in capsys.readouterr().out.splitlines() if "--until decided" in line)
        return text

    assert row("20%").endswith(" pairs, often fewer")
    assert row("2%").endswith(f" pairs: it stops undecided after {MOST_UNTIL_DECIDED}")


def test_what_is_visible_is_seen_by_a_comparison_of_one_load() -> None:
    """So large a difference is claimed in 4 of 5 studies of five pairs, with all that a comparison asks."""
    of_pair, random = 0.02, np.random.default_rng(8)
    visible = visible_with(VISIBLE_PAIRS, of_pair, "pairs", error=error_of_load(1))
    studies, claimed = 1000, 0
    for _ in range(studies):
        ours = np.exp(visible + of_pair * random.standard_normal(VISIBLE_PAIRS))
        tail = np.exp(of_pair * random.standard_normal(VISIBLE_PAIRS))
        first = [1.0, -1.0, -1.0, 1.0, 1.0]
        family = [
            Asked(
                ratio=paired_ratio(Pairs(values=values.tolist(), base=[1.0] * VISIBLE_PAIRS, first=first)),
                family=family,
            )
            for values, family in ((ours, "overall"), (tail, "tail"))
        ]
        claimed += answers(family, DEFAULT_MARGIN.value)[0].answer == "faster"
    assert 0.77 < claimed / studies < 0.85
    told = noise.noise_from([session("cpu", 0.01, number) for number in range(3)])
    assert told is not None
    assert told.deciding is not None
    (row,) = (line for line in noise_lines(told) if line.startswith("throughput"))
    seen = visible_with(VISIBLE_PAIRS, told.deciding.between_pairs, "pairs", error=error_of_load(1))
    assert row.endswith(f" {percent(seen):.2g} %")
    assert noise_lines(told)[-2].endswith("in 4 of 5 studies (tested at 3 %)")


def test_a_comparison_of_one_load_has_the_error_that_is_planned() -> None:
    runs = [
        recording([1000 + 10 * repeat] * 10, system=name, repeat=repeat)
        for name in "AB"
        for repeat in range(5)
    ]
    result = result_of(analyse(runs))
    assert [ratio.error for ratio in result.ratios if ratio.decides] == [error_of_load(1)]


def test_sessions_of_other_machines_do_not_count(tmp_path: Path) -> None:
    add_noise(tmp_path, session("cpu", 0.01, host="elsewhere"))
    assert noise.machine_noise(tmp_path, "cpu") is None
    assert len(read_noise(tmp_path)) == 1


def test_settings_of_a_side() -> None:
    assert job_of("synchronous=off cache=2", "--a") == {"params": {"synchronous": "off", "cache": 2}}
    assert job_of("target=sqlite:///b.db placement.thread.pin=true", "--b") == {
        "targets": ["sqlite:///b.db"],
        "placement": {"thread": {"pin": True}},
    }
    assert job_of("", "--a") == {}
    assert job_of("run='sort -r big.txt' shell=false", "--a") == {
        "params": {"run": "sort -r big.txt", "shell": False}
    }
    with pytest.raises(InputError, match="has an open quotation mark"):
        job_of("run='sort", "--a")
    with pytest.raises(InputError, match="not key=value"):
        job_of("synchronous", "--a")


def test_both_sides_share_the_random_numbers_of_their_study_alone() -> None:
    study = plan_of("model", Answers(users=[1, 2], duration="1s", params={"servers": 4}))
    study = with_sides(study, sides_of(["model"], "", "service_time=6ms", {})[1], "decided", 0.02)
    one, other = with_load_seed(study), with_load_seed(study)
    assert one.job["load_seed"] != other.job["load_seed"]
    assert [system.job for system in one.systems] == [{}, {"params": {"service_time": "6ms"}}]
    assert (one.plan, one.margin, one.axes) == (SweepPlan("decided"), 0.02, {"load.closed.users": [1, 2]})
    fixed = plan_of("model", Answers(seed=7))
    assert with_load_seed(fixed) is fixed


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ab", "model", "--b", ""], "both sides are the same"),
        (
            ["ab", "model", "--b", "x=1", "--repeats", "3", "--until", "decided"],
            "cannot be combined with --until",
        ),
        (["ab", "model", "--b", "x=1", "--repeats", "auto"], "`auto` works for a single system only"),
        (["noise", "measure", "model", "--users", "1,2"], "noise is measured at a single load"),
        (["noise", "plan", "--see", "200%"], "is not a share"),
    ],
)
def test_bad_input(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_arguments(arguments) == 2
    assert said in capsys.readouterr().err
