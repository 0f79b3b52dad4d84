"""An aspect that nobody in the judge knows: all of its functions, through the whole of the judge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import pytest

from igen.judge import analyse, result_of
from igen.judge.aspect import Aspect, LevelRuns, SystemRuns
from igen.judge.record.recording import Recording
from igen.judge.result import Finding, Level, LevelPart, Result, System, SystemPart, aspect
from igen.judge.run.measured import MeasuredRun
from igen.judge.trust.finding import Runs, finding, reasons
from igen.judge.trust.rules import RULES, Rule
from tests.judge.synthetic import recording

HEAT, CHANGE, BAROMETER, WARM = "heat", "weather-changed", "no-barometer", "warm"


@pytest.fixture(autouse=True)
def rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of its own rules in the table."""
    for name, grade in ((HEAT, "SUSPECT"), (CHANGE, "SUSPECT"), (BAROMETER, "VALID"), (WARM, "VALID")):
        monkeypatch.setitem(RULES, name, Rule(name, "machine", grade))


@dataclass(frozen=True, slots=True, kw_only=True)
class Weather(LevelPart):
    kind: Literal["weather"] = "weather"
    mean_c: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Climate(SystemPart):
    kind: Literal["climate"] = "climate"
    levels: int


def measure(runs: LevelRuns) -> Weather | None:
    told = [run.recording.facts["weather.c"] for run in runs.used if "weather.c" in run.recording.facts]
    return Weather(mean_c=sum(told) / len(told)) if told else None


def check(run: MeasuredRun) -> Iterator[Finding]:
    if run.recording.facts.get("weather.c", 0) > 40:
        yield finding(HEAT)


def check_level(runs: LevelRuns) -> Iterator[Finding]:
    if len({run.recording.facts.get("weather.c") for run in runs.used}) > 1:
        yield finding(CHANGE, scope="level")
    yield finding(BAROMETER, scope="level")


def observe(system: System, levels: Sequence[Level]) -> Iterator[Finding]:
    for level in levels:
        if weather := aspect(level, Weather):
            yield finding(WARM, degrees_c=weather.mean_c)


def sum_up(system: SystemRuns) -> Climate | None:
    return Climate(levels=sum(aspect(level, Weather) is not None for level in system.levels)) or None


WEATHER = Aspect(
    name="weather",
    level_part=Weather,
    system_part=Climate,
    measure=measure,
    sum_up=sum_up,
    check=check,
    check_level=check_level,
    check_system=lambda _: [finding(BAROMETER, scope="system")],
    observe=observe,
    observe_together=lambda systems: [finding(WARM, places=len(systems))],
)


def days(*degrees: float, run: str = "a") -> list[Recording]:
    return [recording(run=run, repeat=index, facts={"weather.c": each}) for index, each in enumerate(degrees)]


def judged(*runs: list[Recording]) -> Result:
    systems = [system for each in runs for system in analyse(each, aspects=[WEATHER])]
    return result_of(systems, aspects=[WEATHER])


def test_its_parts_warnings_and_sentences_are_in_the_result() -> None:
    result = judged(days(20, 20, 20))
    (system,) = result.systems
    (level,) = system.levels
    assert aspect(level, Weather) == Weather(mean_c=20)
    assert aspect(system, Climate) == Climate(levels=1)
    assert level.trust.verdict == "VALID"
    assert BAROMETER in [each.rule for each in level.findings]
    assert [each.rule for each in system.findings] == [BAROMETER]
    (together,) = (each for each in result.observations if each.scope == "study")
    assert (together.rule, together.figure("places")) == (WARM, 1)
    assert (system.observations[-1].rule, system.observations[-1].figure("degrees_c")) == (WARM, 20)


@pytest.mark.parametrize(
    ("degrees", "expected"),
    [((50, 50, 50), (HEAT, Runs(number=3, of=3))), ((20, 21, 20), (CHANGE, None))],
)
def test_its_limits_count(degrees: tuple[float, ...], expected: tuple[str, Runs | None]) -> None:
    (level,) = judged(days(*degrees)).systems[0].levels
    assert level.trust.verdict == "SUSPECT"
    assert [(each.rule, each.runs) for each in reasons(level.findings)] == [expected]


def test_without_it_nothing_is_known_of_its_subject() -> None:
    (system,) = analyse(days(50, 20, 20))
    assert (system.aspects, system.levels[0].aspects, system.levels[0].trust.verdict) == ([], [], "VALID")
