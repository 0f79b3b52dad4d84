"""Which ratios a report has at its top."""

from __future__ import annotations

from igen.judge.result import OverallRatio, Ratio, Result
from igen.layout.level import LoadAxis
from igen.say.pair import overall_statement
from igen.text import Text


def headline_ratios(result: Result) -> list[Ratio]:
    """Ratios of compared systems in what decides, of each load: at the base's peak, else at the highest
    common load."""
    axis = LoadAxis.of(result)
    peaks = {system.name: system.peak for system in result.systems}
    found = []
    for system in result.systems:
        decided = [ratio for ratio in result.ratios if ratio.system == system.name and ratio.decides]
        for load in dict.fromkeys(ratio.load for ratio in decided):
            ratios = [ratio for ratio in decided if ratio.load == load]
            peak = peaks.get(ratios[0].base)
            at_peak = [ratio for ratio in ratios if peak and axis.value(ratio) == axis.value(peak)]
            found.append(at_peak[0] if at_peak else max(ratios, key=axis.value))
    return found


def common_load(result: Result) -> float | None:
    """Return the load at which all systems are compared at the top, as a value of the axis; None if there are
    several."""
    axis = LoadAxis.of(result)
    loads = {axis.value(ratio) for ratio in headline_ratios(result)}
    return loads.pop() if len(loads) == 1 else None


def of_tests(result: Result) -> list[OverallRatio]:
    """Return the ratio of each test of a study that names tests."""
    return [each for each in result.overall if each.test]


def over_all_loads(result: Result) -> list[OverallRatio]:
    """Return the ratio over all loads of each pair of systems that have several."""
    return [each for each in result.overall if not each.test]


def told(each: Ratio | OverallRatio) -> bool:
    """Whether the figure itself is an answer: a difference was shown, or that there is none to speak of."""
    return each.answer != "cannot tell"


def times_beside(result: Result, decided: Ratio) -> Ratio | None:
    """The mean response times where they differ and the throughput does not tell by how much: users who
    think most of the time do nearly as much at a system that is several times slower."""
    for ratio in result.ratios:
        of_pair = (ratio.system, ratio.base) == (decided.system, decided.base)
        of_load = (ratio.level, ratio.load) == (decided.level, decided.load)
        if of_pair and of_load and ratio.quantity == "mean response time" and ratio is not decided:
            differ = ratio.answer in ("faster", "slower")
            return ratio if differ and not ratio.restates_throughput else None
    return None


def overall_statements(result: Result) -> list[Text]:
    """Return what came of the tests for each pair of systems."""
    pairs: dict[tuple[str, str], list[OverallRatio]] = {}
    for each in of_tests(result):
        pairs.setdefault((each.system, each.base), []).append(each)
    return [overall_statement(*names, found) for names, found in pairs.items()]
