"""One fact has one number: a throughput in any format is the figure of a level, of a run, or of a ratio.

All throughputs of these results lie in a band of numbers in which nothing else lies. So each number of the
band that a reader sees must be one of the figures, rounded.
"""

from __future__ import annotations

import html as entities
import re
from collections.abc import Iterator

import numpy as np
import pytest

from igen.document import Forest, Lines
from igen.judge import analyse, result_of
from igen.judge.record.recording import Recording
from igen.judge.result import Figure, Level, Result
from igen.report.printers.spreadsheet import level_records
from igen.report.ratio_table import ratio_table
from tests.judge.synthetic import recording
from tests.judge.test_claims import closed
from tests.report.shown import every_format, pictures

PER_S = 7310.0
BAND = (0.9 * PER_S, 1.1 * PER_S)
NUMBER = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w,])|(?<![\w.,])\d+(?:\.\d+)?(?![\w,])")


def flat(system: str = "A", runs: int = 5, seed: int = 5, factor: float = 1.0) -> list[Recording]:
    """Four loads that do the same."""
    random = np.random.default_rng(seed)
    means = dict.fromkeys((1, 2, 4, 8), factor * PER_S)
    return [*closed(random, means, 0.02, runs, system=system)]


def searched() -> list[Recording]:
    """A search whose candidates are chosen by other runs than those that are published."""
    random = np.random.default_rng(11)
    made = []
    for level, users in enumerate((4, 8, 16)):
        for purpose in ("search", "choose", "confirm"):
            for repeat in range(1 if purpose == "search" else 5):
                count = round(PER_S * (1 + 0.02 * random.standard_normal()))
                made.append(recording([count] * 10, users=users, level=level, repeat=repeat, purpose=purpose))
    return made


def lacks_a_run() -> list[Recording]:
    """Five pairs of two systems: one run of B failed, so that a ratio has four pairs."""
    made = [*flat("A"), *flat("B", seed=6, factor=1.01)]
    lost = next(each for each in made if each.system == "B" and each.repeat == 2 and each.level == 1)
    lost.outcome = "failed"
    return made


RESULTS = {
    "sweep": flat(),
    "three repeats": flat(runs=3, seed=8),
    "search": searched(),
    "comparison": [*flat("A"), *flat("B", seed=6, factor=1.02)],
    "a pair that lacks a run": lacks_a_run(),
}


@pytest.fixture(scope="module", params=RESULTS)
def result(request: pytest.FixtureRequest) -> Result:
    return result_of(analyse(RESULTS[request.param]))


def ends(estimate: Figure) -> Iterator[float]:
    yield from (each for each in (estimate.value, estimate.low, estimate.high) if each is not None)


def of_levels(result: Result) -> list[float]:
    """Figures of levels and runs, the ends of the intervals of peaks, and what ratios divide."""
    found: list[float] = []
    for system in result.systems:
        for level in system.levels:
            found += ends(level.throughput_per_s)
            found += [run.throughput_per_s for run in level.repeats]
        for point in (system.peak, system.sweet_spot, system.knee):
            if point is not None and point.throughput_per_s.low is not None:
                found.append(point.throughput_per_s.low)
    for ratio in result.ratios:
        if ratio.quantity == "throughput":
            found += [ratio.figure, ratio.base_figure]
    return found


def numbers(text: str) -> Iterator[tuple[float, float]]:
    """Each number of the band, and half of its last digit."""
    for match in NUMBER.finditer(text):
        value = float(match[0].replace(",", ""))
        if BAND[0] < value < BAND[1]:
            yield value, 0.5 * 10.0 ** -len(match[0].partition(".")[2])


def strangers(text: str, figures: list[float]) -> list[float]:
    return [
        value
        for value, half in numbers(text)
        if not any(abs(value - figure) <= 1.001 * half for figure in figures)
    ]


def level_at(result: Result, name: str, number: int) -> Level:
    (system,) = (each for each in result.systems if each.name == name)
    return next(level for level in system.levels if level.level == number)


def test_every_printed_throughput_is_a_figure(result: Result) -> None:
    figures = of_levels(result)
    for page in every_format(result):
        text = entities.unescape(re.sub(r"<[^>]*>", " ", page))
        assert len([*numbers(text)]) > 8
        assert strangers(text, figures) == []


def test_the_peak_and_the_sweet_spot_have_the_figures_of_their_levels(result: Result) -> None:
    for system in result.systems:
        for point in (system.peak, system.sweet_spot, system.knee):
            if point is None:
                continue
            own = level_at(result, system.name, point.level).throughput_per_s
            assert (point.throughput_per_s.value, point.throughput_per_s.n) == (own.value, own.n)
            assert point.throughput_per_s.high == own.high
    assert any(system.peak for system in result.systems)


def test_charts_and_sheets_have_them_too(result: Result) -> None:
    figures = of_levels(result)
    for found in pictures(result).values():
        for picture in found:
            if picture.name == "throughput" and isinstance(picture.chart, Lines):
                notes = [note.y for note in picture.chart.notes]
                assert notes
                assert all(note in figures for note in notes)
            if isinstance(picture.chart, Forest):
                assert strangers(picture.description, figures) == []
    for record in level_records(result):
        own = level_at(result, record["system"], record["level"]).throughput_per_s
        assert record["throughput_per_s"] == own.value


def test_a_ratio_is_the_quotient_of_the_figures_beside_it(result: Result) -> None:
    for ratio in result.ratios:
        assert ratio.ratio.value == pytest.approx(ratio.figure / ratio.base_figure)
    if not result.ratios:
        return
    columns = {column.full_title: column.cells for column in ratio_table(result).columns}
    sides = zip(columns["throughput system, per s"], columns["throughput base, per s"], strict=True)
    for (own, base), shown in zip(sides, columns["throughput ratio"], strict=True):
        if shown == "–":
            continue
        own_value, base_value = (float(cell.replace(",", "")) for cell in (own, base))
        assert own_value / base_value == pytest.approx(float(shown), abs=0.0007)
