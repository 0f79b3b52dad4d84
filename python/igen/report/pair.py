"""What is said of two systems side by side: one statement for each pair, the same wherever it stands."""

from __future__ import annotations

from igen.judge.compare.pair_observations import assumed_noise
from igen.judge.curve.load import side_name
from igen.judge.result import OverallRatio, Ratio, Result
from igen.layout.level import LoadAxis
from igen.layout.number import ratio as ratio_of
from igen.layout.number import ratio_interval, significant
from igen.say.sentence import sentence
from igen.say.words import could_have_seen, why_not_told
from igen.units import counted

CANNOT_TELL = "cannot be told apart"


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


def told(each: Ratio | OverallRatio) -> bool:
    """Whether the figure itself is an answer: a difference was shown, or that there is none to speak of."""
    return each.answer != "cannot tell"


def doubt(each: Ratio | OverallRatio) -> str:
    """The interval of the ratio in words, or why there is none, and what disturbed the machine."""
    if each.ratio.low is None:
        if isinstance(each, Ratio):
            return sentence([each.findings[0]]) if each.findings else "too few runs for an interval"
        repeats = counted(each.ratio.n, "repeat")
        return f"{repeats} with all loads on both sides, too few for an interval"
    doubts = [f"95 % interval {ratio_interval(each.ratio)}"]
    if isinstance(each, Ratio):
        doubts += [f"with {sentence([assumed])}" for assumed in assumed_noise([each])]
    if isinstance(each, Ratio) and each.disturbance_percent > 0:
        doubts.append(f"disturbance of the machine up to {significant(each.disturbance_percent, 2)} %")
    if isinstance(each, Ratio) and (why := why_not_told(each)):
        doubts.append(why)
    return ", ".join(doubts)


def answer_text(each: Ratio | OverallRatio) -> str:
    """The judge's answer: `faster`, `equivalent within ±3 %`."""
    within = f" within ±{each.margin_percent:g} %" if each.answer == "equivalent" else ""
    return f"{each.answer}{within}"


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


def pair_statement(ratio: Ratio, axis: LoadAxis, times: Ratio | None = None) -> str:
    """`1.206 × the throughput of ext4 at 8 users (95 % interval …): xfs is faster.`.

    Without an answer there is no figure, only its interval and what could have been seen; or which of them
    held the offered rate, where one did not. `times` that differ beside it are told in the same sentence.
    """
    text = _statement(ratio, axis)
    if times is None:
        return text
    system, base = (side_name(name, times.load) for name in (times.system, times.base))
    word = "shorter" if times.answer == "faster" else "longer"
    return (
        f"{text.removesuffix('.')}; the {times.quantity} of {system} is {word}, "
        f"{ratio_of(times.ratio)} × that of {base} ({doubt(times)})."
    )


def _statement(ratio: Ratio, axis: LoadAxis) -> str:
    system, base = (side_name(name, ratio.load) for name in (ratio.system, ratio.base))
    both = f"{system} and {base}"
    if ratio.answer == "cannot tell" and (holder := ratio.rate_holder):
        other = base if holder == ratio.system else system
        holder = side_name(holder, ratio.load)
        return (
            f"{holder} holds the offered rate at {axis.name(ratio)}, {other} does not "
            f"(no ratio of {ratio.quantity}: {doubt(ratio)})."
        )
    if ratio.answer == "cannot tell":
        seen = f"; {could_have_seen(ratio.visible_percent)}" if ratio.ratio.low is not None else ""
        return (
            f"{both} {CANNOT_TELL} at {axis.name(ratio)} (ratio of {ratio.quantity}: {doubt(ratio)}{seen})."
        )
    figure = f"{ratio_of(ratio.ratio)} × the {ratio.quantity} of {base} at {axis.name(ratio)}"
    if ratio.answer == "equivalent":
        return f"{figure} ({doubt(ratio)}): {both} are {answer_text(ratio)}."
    return f"{figure} ({doubt(ratio)}): {system} is {ratio.answer}."


def overall_statements(result: Result) -> list[str]:
    """What came of the tests for each pair of systems: `RAID-5 is 33 % slower than RAID-1 in R3`."""
    pairs: dict[tuple[str, str], list[OverallRatio]] = {}
    for each in result.overall:
        pairs.setdefault((each.system, each.base), []).append(each)
    return [_overall_statement(*names, found) for names, found in pairs.items()]


def _overall_statement(system: str, base: str, found: list[OverallRatio]) -> str:
    equal = [each.test for each in found if each.answer == "equivalent"]
    alike = [each.test for each in found if each.answer == "cannot tell" and each.ratio.low is not None]
    single = [each for each in found if each.ratio.low is None]
    parts = [
        f"{word} in {', '.join(map(_difference, of))}"
        for word in ("slower", "faster")
        if (of := [each for each in found if each.answer == word])
    ]
    if equal:
        parts.append(f"equivalent within ±{found[0].margin_percent:g} % in {', '.join(equal)}")
    if alike:
        parts.append(f"not to be told apart from it in {', '.join(alike)}")
    parts += [
        f"{', '.join(_signed(each) for each in single if doubt(each) == why)} ({why})"
        for why in dict.fromkeys(map(doubt, single))
    ]
    return f"{system} against {base}, mean over the loads: {'; '.join(parts)}."


def _difference(each: OverallRatio) -> str:
    """`R3 (33 %)`."""
    return f"{each.test} ({abs(100 * (each.ratio.value - 1)):.0f} %)"


def _signed(each: OverallRatio) -> str:
    """`R3 -33 %`."""
    return f"{each.test} {100 * (each.ratio.value - 1):+.0f} %"
