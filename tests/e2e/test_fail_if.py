"""Thresholds and the non-inferiority test as a build pipeline meets them: words, exit code, JUnit's file.

The model's service takes 5 ms and nothing watches the machine, so that each limit is far from its figure.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from command_line import UNWATCHED, Done, document_of

from igen.cli import run_arguments

Line = Callable[[str], Done]
STUDY = """
name = "queue"
system = "{system}"
plan = {{ mode = "sweep", repeats = {repeats} }}
fail_if = {fail_if}

[job]
workload = "model"
load_seed = 1
params = {{ service_time = "{service_time}", service = "deterministic" }}
phases = {{ warmup_s = "0.1s", measure_s = "0.5s" }}
{unwatched}
[axes]
"load.closed.users" = [1, 2]
"""


@pytest.fixture
def line(store: Path, capsys: pytest.CaptureFixture[str]) -> Line:
    """Runs a command line with quotes in it."""

    def run(text: str) -> Done:
        capsys.readouterr()
        code = run_arguments(shlex.split(text))
        return Done(code, *capsys.readouterr())

    return run


def write_study(*fail_if: str, system: str = "", repeats: int = 3, service_time: str = "5ms") -> None:
    text = STUDY.format(
        fail_if=json.dumps(fail_if),
        system=system,
        repeats=repeats,
        service_time=service_time,
        unwatched=UNWATCHED,
    )
    Path("queue.toml").write_text(text)


def cases(path: str) -> dict[str, str]:
    """What became of each test case of a file in JUnit's format: the name of the element inside it."""
    suite = ElementTree.parse(path).getroot()[0]
    assert int(suite.get("tests", "")) == len(suite)
    assert int(suite.get("failures", "")) == len(suite.findall("testcase/failure"))
    return {case.get("name", ""): case[0].tag if len(case) else "" for case in suite}


def test_a_threshold_that_holds_is_told_and_changes_no_exit_code(line: Line) -> None:
    write_study("mean of response > 1h", "errors > 0")
    done = line("study run queue.toml --junit made/checks.xml")
    assert done.code == 0, done.err
    assert "mean of response > 1h" in done.out.partition("Thresholds")[2]
    assert "held" in done.out
    found = cases("made/checks.xml")
    assert found["mean of response > 1h at 2 users"] == found["errors > 0 at 1 user"] == "system-out"
    thresholds = document_of(line("show last --json").out)["thresholds"]
    assert [each["answer"] for each in thresholds] == ["held"] * 4


def test_a_threshold_that_is_crossed_ends_with_code_1_and_its_figures(line: Line) -> None:
    write_study("mean of response > 1ms at 2 users", "throughput > 1/s")
    done = line("study run queue.toml --junit checks.xml")
    assert done.code == 1
    (said,) = [text for text in done.err.splitlines() if text.startswith("igen: error: ")]
    assert "mean of response > 1ms at 2 users: mean of response " in said
    assert "is above 1 ms (95 % interval " in said
    assert "(and 2 more checks failed)" in said
    assert "hint: `igen show " in done.err
    assert cases("checks.xml")["mean of response > 1ms at 2 users"] == "failure"
    assert "crossed" in line("show last --format markdown").out


# 6 s: tests/judge/test_threshold.py has the rule.
@pytest.mark.slow
def test_what_cannot_be_told_is_a_warning_unless_its_figure_is_beyond_or_it_is_to_be_strict(
    line: Line,
) -> None:
    # One run decides a limit that is far away, and none that is within twice of its figure.
    write_study("mean of response > 1h", repeats=1)
    done = line("study run queue.toml --junit checks.xml")
    assert (done.code, done.err.count("igen: warning: ")) == (0, 0)
    assert cases("checks.xml")["mean of response > 1h at 1 user"] == "system-out"
    write_study("mean of response > 11ms", repeats=1)
    done = line("study run queue.toml --junit checks.xml")
    assert done.code == 0
    assert done.err.count("igen: warning: ") == 2
    assert "cannot tell: mean of response " in done.err
    assert "1 run: its interval needs 2" in done.err
    assert cases("checks.xml")["mean of response > 11ms at 1 user"] == "skipped"
    assert line("study run queue.toml --strict").code == 1
    write_study("mean of response > 4.9ms", repeats=1)
    done = line("study run queue.toml")
    assert done.code == 1
    assert "is above 4.9 ms; that is not shown: 1 run" in done.err


def test_a_threshold_of_the_command_line_reaches_the_run(line: Line, store: Path) -> None:
    done = line(
        "run model --duration 0.2s --warmup 0.1s --repeats 1 --quiet --fail-if 'throughput > 0.001/s'"
    )
    assert done.code == 1
    (run,) = store.glob("2*/run.json")
    assert json.loads(run.read_text())["study"]["fail_if"] == ["throughput > 0.001/s"]


@pytest.mark.parametrize(
    ("expression", "said", "hint"),
    [
        ("p99 > 20ms", "`p99` of which times?", "`p99 of response`"),
        ("p99 of response > 20", "`20` has no unit", "such as 20ms"),
        ("errors > 0 at 8 users", "names a load that no level has", "the levels are users 1"),
    ],
)
def test_a_bad_threshold_is_found_before_anything_is_measured(
    line: Line, store: Path, expression: str, said: str, hint: str
) -> None:
    done = line(f"run model --fail-if '{expression}'")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("igen: error: --fail-if: ")
    assert said in done.err
    assert hint in done.err.partition("hint: ")[2]
    write_study(expression)
    for command in ("study check", "study run"):
        done = line(f"{command} queue.toml")
        assert done.code == 2, done.out
        assert done.err.startswith("igen: error: queue.toml:5: ")
        assert said in done.err
    assert not store.exists()


@pytest.mark.slow
def test_a_system_must_be_shown_not_to_be_slower(line: Line) -> None:
    for system, repeats, service_time in (
        ("before", 6, "5ms"),
        ("after", 6, "5ms"),
        ("slow", 3, "50ms"),
        ("once", 1, "5ms"),
    ):
        write_study(system=system, repeats=repeats, service_time=service_time)
        assert line("study run queue.toml --quiet").code == 0

    done = line("compare before after --fail-if-slower 99% --junit checks.xml")
    assert done.code == 0, done.err
    assert "Not slower by 99 %" in done.out
    assert set(cases("checks.xml").values()) == {"system-out"}

    done = line("compare before slow --fail-if-slower 5% --format markdown --junit checks.xml")
    assert done.code == 1
    assert "## Not slower by 5 %" in done.out
    assert "| --- | ---: |" in done.out
    assert "igen: error: slow, not slower by 5 % at 1 user: throughput 0." in done.err
    assert "slower by more than 5 %" in done.err
    assert set(cases("checks.xml").values()) == {"failure"}

    done = line("compare before once --fail-if-slower 99%")
    assert done.code == 1, "what cannot be told does not pass"
    assert "cannot tell if it is slower by 99 % (1 run: no interval with fewer than 3)" in done.err
    assert line("compare before once").code == 0, "nothing was asked"


@pytest.mark.parametrize(("base", "code", "outcome"), [("50ms", 0, "system-out"), ("1ms", 1, "failure")])
def test_two_systems_side_by_side_are_a_gate(line: Line, base: str, code: int, outcome: str) -> None:
    write_study("errors > 0")
    done = line(
        f"ab queue.toml --a service_time={base} --b service_time=5ms --users 1 --repeats 3"
        " --fail-if 'mean of response > 1h' --fail-if-slower 10% --junit checks.xml --strict"
    )
    assert done.code == code, done.err
    found = cases("checks.xml")
    assert found["errors > 0 at 1 user"] == found["mean of response > 1h at 1 user"] == "system-out"
    (not_slower,) = [found[name] for name in found if name.startswith("not slower")]
    assert not_slower == outcome


# 5 s: test_two_systems_side_by_side_are_a_gate is the same with users.
@pytest.mark.slow
def test_two_systems_side_by_side_under_an_open_load(line: Line) -> None:
    write_study()
    done = line(
        "ab queue.toml --b service_time=6ms --rate 20 --users 2 --warmup 0.2s --repeats 3 --json --quiet"
    )
    assert done.code == 0, done.err
    assert {system["load_model"] for system in done.document["systems"]} == {"open"}


# 5 s: tests/judge/test_non_inferiority.py has the rule.
@pytest.mark.slow
def test_what_nothing_was_compared_of_does_not_pass(line: Line) -> None:
    write_study(system="before")
    assert line("study run queue.toml --quiet").code == 0
    assert (
        line("run model --users 4 --duration 0.2s --warmup 0.1s --repeats 1 --quiet --name after").code == 0
    )
    done = line("compare before after --fail-if-slower 5%")
    assert done.code == 1
    assert "no load was run on both" in done.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("compare a b --fail-if-slower 500%", "--fail-if-slower"),
        ("compare a b --fail-if-slower soon", "--fail-if-slower"),
        ("compare a b --junit x.xml", "--junit"),
        ("compare a b --format pdf", "markdown"),
    ],
)
def test_bad_options_of_a_comparison(line: Line, text: str, said: str) -> None:
    done = line(text)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
