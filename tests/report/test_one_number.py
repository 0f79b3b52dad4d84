"""One number for one fact: wherever a figure is printed, it has the same digits and the same unit."""

from __future__ import annotations

import random
import re
import tempfile
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest

from igen.judge.result import Level, Point, Result, System, Times
from igen.report.printers.terminal import Terminal
from igen.report.text import screen_text, summary_markdown, summary_text
from igen.report.write import write_report
from report import sample

NUMBER = re.compile(r"(?<![\w.,/:-])\d[\d,]*(?:\.\d+)?(?![\w:,-]|\.\d)")
LEAST_DIGITS = 3
"""A number of fewer digits may be another figure's."""
SCALES = (1.0, 1e3, 1e-3, 1e6)
WIDE = Terminal(200)


def distinct(result: Result, seed: int) -> Result:
    """Return the result with figures of which no two look alike."""
    of = random.Random(seed)
    return replace(result, systems=[_system(system, of) for system in result.systems])


def _system(system: System, of: random.Random) -> System:
    levels = [_level(level, of) for level in system.levels]
    at = {level.level: level for level in levels}
    points = {
        name: _point(point, at[point.level])
        for name in ("peak", "sweet_spot", "knee")
        if (point := getattr(system, name)) is not None
    }
    return replace(system, levels=levels, **points)


def _level(level: Level, of: random.Random) -> Level:
    times = level.response_time_ms
    rate = level.throughput_per_s * of.uniform(0.8, 1.2)
    if times is None:
        return replace(level, throughput_per_s=rate)
    return replace(level, throughput_per_s=rate, response_time_ms=_times(times, of.uniform(0.8, 1.2)))


def _times(times: Times, factor: float) -> Times:
    names = ("mean", "p50", "p90", "p95", "p99", "p999", "max")
    scaled = {name: factor * getattr(times, name) for name in names}
    interval = times.mean_interval and times.mean_interval * factor
    return replace(times, **scaled, mean_interval=interval)


def _point(point: Point, level: Level) -> Point:
    mean = level.response_time_ms and level.response_time_ms.mean
    return replace(point, throughput_per_s=level.throughput_per_s, response_time_ms=mean)


def figures_of(result: Result) -> dict[str, float]:
    """Return what a reader looks for, by name."""
    found = {}
    for system in result.systems:
        for level in system.levels:
            of = f"{system.name}, level {level.level}"
            found[f"throughput of {of}"] = level.throughput_per_s.value
            if times := level.response_time_ms:
                found |= {f"{name} of {of}": getattr(times, name) for name in ("mean", "p50", "p99")}
    return found


def forms(numbers: set[str], value: float) -> set[str]:
    """Return each form in which a value is printed, whatever its unit."""
    found = set()
    for number in numbers:
        plain = number.replace(",", "")
        if len(plain.replace(".", "").lstrip("0")) < LEAST_DIGITS:
            continue
        half = 0.5 * 10.0 ** -len(plain.partition(".")[2])
        if any(abs(float(plain) - value * scale) <= half * 1.001 for scale in SCALES):
            found.add(number)
    return found


def forms_in(document: str, make: Callable[[], Result]) -> dict[str, set[str]]:
    """Return the forms of each figure in a document.

    A number that stays if all of these figures change is the number of something else.
    """
    first, second = (distinct(make(), seed) for seed in (1, 2))
    ours, others = (set(NUMBER.findall(DOCUMENTS[document](each))) for each in (first, second))
    return {name: forms(ours - others, value) for name, value in figures_of(first).items()}


def page_text(result: Result) -> str:
    """Return what a browser shows of the report, apart from charts, which have axes and tips."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        write_report(result, path, "html")
        page = path.read_text(encoding="utf-8")
    for element in ("script", "style", "svg", "head"):
        page = re.sub(rf"<{element}\b.*?</{element}>", " ", page, flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]*>", " ", page))


DOCUMENTS = {
    "screen": lambda result: screen_text(result, terminal=WIDE),
    "all": lambda result: summary_text(result, terminal=WIDE),
    "markdown": summary_markdown,
    "html": page_text,
}


def several(found: Mapping[str, set[str]]) -> dict[str, set[str]]:
    return {name: each for name, each in found.items() if len(each) > 1}


@pytest.mark.parametrize("make", [sample.one_system, sample.comparison, sample.open_load])
@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_figure_has_one_form_in_a_document(make: Callable[[], Result], document: str) -> None:
    found = forms_in(document, make)
    assert any(found.values()), "nothing was found: the test cannot fail"
    assert several(found) == {}


def test_all_documents_have_the_same_form() -> None:
    found: dict[str, set[str]] = defaultdict(set)
    for document in DOCUMENTS:
        for name, each in forms_in(document, sample.one_system).items():
            found[name] |= each
    assert several(found) == {}


def test_a_second_form_is_seen() -> None:
    numbers = {"4,828", "4.83", "0.133", "133"}
    assert forms(numbers, 4828.0) == {"4,828", "4.83"}
    assert forms(numbers, 0.1329) == {"0.133", "133"}
