"""Several loads at once, from a study to the sentences of its report, on a queue with known answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from igen.units import counted
from tests.e2e.command_line import UNWATCHED, Done

STUDY = f"""
plan = {{ mode = "sweep", repeats = 4 }}

[job]
workload = "model"
{UNWATCHED}
phases = {{ measure_s = 0.5, warmup_s = 0.1, interval_s = 0.05 }}

[job.personas.clerks]
params = {{ service = "deterministic", service_time = "10ms", servers = 50 }}
load = {{ closed = {{ users = 10 }} }}

[job.personas.orders]
params = {{ service = "deterministic", service_time = "50ms", servers = 50 }}
load = {{ open = {{ rate_per_s = 40, arrivals = "poisson", users = 20 }} }}
"""
STALLED = (
    STUDY.replace('"50ms", servers', '"5ms", stall_time = "600ms", stall_every = "4s", servers')
    .replace("rate_per_s = 40", "rate_per_s = 100")
    .replace("users = 20", "users = 1")
    .replace("repeats = 4", "repeats = 1")
    .replace("measure_s = 0.5", "measure_s = 4.5")
)
"""A stall of the orders alone: 2 s after the start one stands still for 600 ms, and sixty wait behind it."""


TOGETHER = f"""
plan = {{ mode = "peak" }}

[job]
workload = "model"
{UNWATCHED}
phases = {{ measure_s = 0.4, warmup_s = 0 }}

[job.personas.clerks]
params = {{ service = "deterministic", service_time = "20ms", servers = 4 }}
load = {{ closed = {{ users = 20 }} }}

[job.personas.screens]
params = {{ service = "deterministic", service_time = "20ms", servers = 2 }}
load = {{ closed = {{ users = 10 }} }}

[axes]
users = [3, 6]
"""


@pytest.fixture
def study(tmp_path: Path) -> Callable[[str], Path]:
    """Writes a study into its file."""

    def written(text: str) -> Path:
        path = tmp_path / "both.toml"
        path.write_text(text)
        return path

    return written


# 7 s: tests/judge/test_personas.py names it.
@pytest.mark.slow
def test_a_persona_that_is_slower_is_named(igen: Callable[[str], Done], study: Callable[[str], Path]) -> None:
    file = study(STUDY)
    done = igen(f"ab {file} --b personas.clerks.params.service_time=30ms --repeats 4 --json --quiet")
    assert done.code == 0, done.err
    result = done.document
    ratio = next(each for each in result["ratios"] if each["load"] == "clerks" and each["decides"])
    assert ratio["quantity"] == "throughput"
    # Ten users who never wait do 10 / 10 ms, and 10 / 30 ms; a busy machine serves neither sooner.
    assert ratio["ratio"]["value"] < 0.6
    assert ratio["answer"] == "slower"
    (slower,) = [each for each in result["observations"] if each["rule"] == "slower"]
    named = {part["name"]: part.get("text") for part in slower["parts"]}
    assert (named["system"], named["base"]) == ("b (clerks)", "a (clerks)")
    assert {each["load"] for each in result["ratios"]} == {"clerks", "orders"}
    shown = igen("show last --all")
    assert "b (clerks) is slower" in shown.out.replace("\n", " ")


def test_a_stall_of_one_persona_is_its_own(
    igen: Callable[[str], Done], study: Callable[[str], Path], tmp_path: Path
) -> None:
    done = igen(f"study run {study(STALLED)} --json --quiet")
    (system,) = done.document["systems"]
    (level,) = system["levels"]
    clerks, orders = level["loads"]["clerks"], level["loads"]["orders"]
    assert set(level["loads"]) == {"clerks", "orders"}
    assert orders["response_time_ms"]["p99"] > 300
    assert clerks["response_time_ms"]["p99"] < orders["response_time_ms"]["p99"] / 2
    assert clerks["transactions"] + orders["transactions"] == level["transactions"]
    assert (clerks["users"], orders["offered_per_s"]) == (10, 100)
    (hidden,) = [each for each in system["observations"] if each["rule"].startswith("hidden-")]
    assert [part["text"] for part in hidden["parts"] if part["name"] == "of_load"] == ["orders"]
    assert "its load" in igen("show last --all").out
    for ending, words in (("html", "Personas"), ("csv", "persona,system"), ("md", "clerks")):
        report = tmp_path / f"report.{ending}"
        assert igen(f"show last -o {report}").code == 0
        assert words in report.read_text()


def test_the_axis_of_a_study_is_the_load_of_one_persona(
    igen: Callable[[str], Done], study: Callable[[str], Path]
) -> None:
    axes = '[axes]\n"personas.clerks.load.closed.users" = [1, 4]\n'
    text = STUDY.replace("[job]", f"{axes}\n[job]", 1).replace("repeats = 4", "repeats = 1")
    assert "clerks users 4" in igen(f"study check {study(text)}").out
    (system,) = igen(f"study run {study(text)} --json --quiet").document["systems"]
    assert [level["loads"]["clerks"]["users"] for level in system["levels"]] == [1, 4]
    few, many = (level["loads"]["clerks"]["throughput_per_s"]["value"] for level in system["levels"])
    assert few < many
    assert system["unnamed"]["peak"]["rule"] == "several-loads"
    assert "users of clerks" in igen("show last --all").out


# A search of 20 s: tests/judge/test_peak_of_personas.py holds the rule, test_load.py the search.
@pytest.mark.slow
def test_the_search_varies_all_users_together(
    igen: Callable[[str], Done], study: Callable[[str], Path]
) -> None:
    # Twice as many clerks as screens. Which of the levels is the peak depends on how busy this machine is.
    done = igen(f"study run {study(TOGETHER)} --json --quiet")
    assert done.code == 0, done.err
    (system,) = done.document["systems"]
    users = {
        level["users"]: tuple(part["users"] for part in level["loads"].values()) for level in system["levels"]
    }
    shared_out = {3: (2, 1), 4: (3, 1), 5: (3, 2), 6: (4, 2)}
    assert {3: (2, 1)}.items() <= users.items() <= shared_out.items()
    assert system["within_limit"] is None
    shown = " ".join(igen("show last --all").out.split())
    if system["peak"] is None:
        assert "no peak is named" in shown or "no figure can be used" in shown
    else:
        at = system["peak"]["users"]
        clerks, screens = shared_out[at]
        assert f"a second at {at} users" in shown
        assert "in these proportions" in shown
        there = shown.partition("There clerks did ")[2]
        assert f"a second at {counted(clerks, 'user')}" in there
        assert f"a second at {counted(screens, 'user')}" in there.partition("; screens did ")[2]


@pytest.mark.parametrize(
    ("words", "place", "says"),
    [
        ("study run {file}", "plan", "`orders` has an open load"),
        (
            "study run {file}",
            "plan of together",
            "cannot be combined with the plan `together`, which varies one load",
        ),
        ("ab {file} --b phases.measure_s=1 --users 4", "--users", "does not name the load that is meant"),
        ("ab {file} --b phases.measure_s=1 --set servers=4", "--set", "does not name the load that is meant"),
        ("ab {file} --b phases.measure_s=1 --until decided", "--until", "each of several loads has its own"),
        ("study check {file}", "load", "`load` cannot be combined with `personas`"),
        ("study check {file}", "personas.clerks.params.servise_time", "unknown field"),
        ("study check {file}", "one load", "workload io does not support personas"),
        ("study check {file}", "personas.orders.load.open.rate_per_s", "out of range"),
    ],
)
def test_what_makes_no_sense_with_personas_is_refused(
    igen: Callable[[str], Done], study: Callable[[str], Path], words: str, place: str, says: str
) -> None:
    text = STUDY
    if "plan" in place:
        mode = place.removeprefix("plan").removeprefix(" of ") or "peak"
        text = text.replace('mode = "sweep", repeats = 4', f'mode = "{mode}"')
    if place == "load":
        text = text.replace('workload = "model"', 'workload = "model"\nload = { closed = { users = 1 } }')
    if place == "one load":
        text = text.replace('"model"', '"io"\ntargets = ["file:///tmp/volume"]')
    if "servise" in place:
        text = text.replace("service_time", "servise_time", 1)
    if "rate" in place:
        text = text.replace("rate_per_s = 40", "rate_per_s = -1")
    done = igen(words.format(file=study(text)))
    assert done.code == 2, done.out
    assert says in done.err
    assert "hint:" in done.err
