"""An aspect that nobody in the judge knows: all of its functions, through the whole of the judge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import pytest

from igen.judge.analyse import analyse, result_of
from igen.judge.aspect import Aspect, LevelRuns, SystemRuns
from igen.judge.limits import Finding
from igen.judge.measured import MeasuredRun
from igen.judge.recording import Recording
from igen.judge.result import Level, LevelPart, Observation, Result, System, SystemPart, aspect
from tests.judge.synthetic import recording


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
        yield Finding("SUSPECT", "heat", "it was hot")


def check_level(runs: LevelRuns) -> Iterator[Finding]:
    if len({run.recording.facts.get("weather.c") for run in runs.used}) > 1:
        yield Finding("SUSPECT", "change", "the weather changed")


def observe(system: System, levels: Sequence[Level]) -> Iterator[Observation]:
    for level in levels:
        if weather := aspect(level, Weather):
            yield Observation(text=f"{system.name}: {weather.mean_c:g} degrees.", evidence="a thermometer")


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
    warn=lambda _: ["no barometer"],
    warn_of_system=lambda _: ["no rain gauge"],
    observe=observe,
    observe_together=lambda systems: [Observation(text=f"{len(systems)} places.", evidence="")],
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
    assert level.verdict == "VALID"
    assert "no barometer" in level.warnings
    assert "no rain gauge" in system.warnings
    texts = [each.text for each in result.observations]
    assert texts[0] == "1 places."
    assert texts[-1].endswith("20 degrees.")


@pytest.mark.parametrize(
    ("degrees", "reasons"),
    [((50, 50, 50), ["it was hot; in 3 of 3 runs"]), ((20, 21, 20), ["the weather changed"])],
)
def test_its_limits_count(degrees: tuple[float, ...], reasons: list[str]) -> None:
    (level,) = judged(days(*degrees)).systems[0].levels
    assert (level.verdict, level.reasons) == ("SUSPECT", reasons)


def test_without_it_nothing_is_known_of_its_subject() -> None:
    (system,) = analyse(days(50, 20, 20))
    assert (system.aspects, system.levels[0].aspects, system.levels[0].verdict) == ([], [], "VALID")
