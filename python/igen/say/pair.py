"""Two systems side by side: one statement for each pair, the same wherever it stands."""

from __future__ import annotations

from collections.abc import Sequence

from igen.judge.compare.pair_observations import apart, assumed_noise
from igen.judge.curve.load import side_name
from igen.judge.result import OverallRatio, Ratio
from igen.say.sentence import sentence
from igen.say.words import could_have_seen, joined, ratio_text, ratio_with_level
from igen.text import Text
from igen.units import counted, format_number


def doubt(each: Ratio | OverallRatio) -> Text:
    """Return the interval of the ratio, or why there is none, and what disturbed the machine."""
    return Text(_doubt(each))


def answer_text(each: Ratio | OverallRatio) -> str:
    """Return the judge's answer: `faster`, `equivalent within ±3 %`, `throughput equivalent within ±3 %, p99
    response time 2.200 × longer (…)`."""
    if each.answer != "equivalent":
        return each.answer
    within = f"equivalent within ±{each.margin_percent:g} %"
    if not each.apart:
        return within
    others = joined([sentence([found]) for found in apart(each.apart)])
    return f"{each.quantity} {within}, {others}"


def pair_statement(ratio: Ratio, at: str, times: Ratio | None = None) -> Text:
    """Return `1.206 × the throughput of ext4 at 8 users (97 % interval …): xfs is faster.`.

    `at` is the name of the load. Without an answer there is no figure, only its interval and what could have
    been seen; or which of them held the offered rate, if one did not. `times` that differ stand in the same
    sentence.
    """
    text = _statement(ratio, at)
    if times is not None:
        system, base = (side_name(name, times.load) for name in (times.system, times.base))
        word = "shorter" if times.answer == "faster" else "longer"
        text += (
            f"; the {times.quantity} of {system} is {word}, {ratio_text(times.ratio)} × that of {base} "
            f"({_doubt(times)})"
        )
    return Text(f"{text}.")


def overall_statement(system: str, base: str, found: Sequence[OverallRatio]) -> Text:
    """Return what came of all tests of a pair: `RAID-5 against RAID-1, …: slower in R3 (33 %).`."""
    equal = [each.test for each in found if each.answer == "equivalent" and not each.apart]
    alike = [each.test for each in found if each.answer == "cannot tell" and each.ratio.low is not None]
    single = [each for each in found if each.ratio.low is None]
    parts = [
        f"{word} in {', '.join(f'{each.test} ({abs(_percent(each)):.0f} %)' for each in of)}"
        for word in ("slower", "faster")
        if (of := [each for each in found if each.answer == word])
    ]
    if equal:
        parts.append(f"equivalent within ±{found[0].margin_percent:g} % in {', '.join(equal)}")
    parts += [f"in {each.test} {answer_text(each)}" for each in found if each.apart]
    if alike:
        parts.append(f"not to be told apart from it in {', '.join(alike)}")
    by_doubt: dict[str, list[str]] = {}
    for each in single:
        by_doubt.setdefault(_doubt(each), []).append(f"{each.test} {_percent(each):+.0f} %")
    parts += [f"{', '.join(figures)} ({why})" for why, figures in by_doubt.items()]
    return Text(f"{system} against {base}, mean over the loads: {'; '.join(parts)}.")


def over_loads(each: OverallRatio) -> Text:
    """Return the answer over all loads: `1.021 × the throughput of A over 4 loads (…): B is faster.`"""
    system, base = (side_name(name, each.load) for name in (each.system, each.base))
    at = f"over {counted(each.loads, 'load')}"
    if each.answer == "cannot tell":
        seen = f"; {could_have_seen(each.visible_percent)}" if each.ratio.low is not None else ""
        both = f"{system} and {base} cannot be told apart {at}"
        return Text(f"{both} (ratio of {each.quantity}: {_doubt(each)}{seen}).")
    figure = f"{ratio_text(each.ratio)} × the {each.quantity} of {base} {at} ({_doubt(each)})"
    return Text(f"{figure}: {_who_is(each, system, base)}.")


def _percent(each: OverallRatio) -> float:
    return 100 * (each.ratio.value - 1)


def _doubt(each: Ratio | OverallRatio) -> str:
    interval = ratio_with_level(each.ratio)
    if not interval and isinstance(each, Ratio):
        return sentence([each.findings[0]]) if each.findings else "too few runs for an interval"
    if not interval:
        return f"{counted(each.ratio.n, 'repeat')} with all loads on both sides, too few for an interval"
    doubts = [
        interval,
        *(f"with {sentence([assumed])}" for assumed in assumed_noise([each])),
    ]
    if each.disturbance_percent > 0:
        doubts.append(f"disturbance of the machine up to {format_number(each.disturbance_percent, 2)} %")
    if each.is_left_open:
        doubts.append("which may be the whole difference")
    return ", ".join(doubts)


def _statement(ratio: Ratio, at: str) -> str:
    system, base = (side_name(name, ratio.load) for name in (ratio.system, ratio.base))
    both = f"{system} and {base}"
    if ratio.answer == "cannot tell" and (holder := ratio.rate_holder):
        other = base if holder == ratio.system else system
        return (
            f"{side_name(holder, ratio.load)} holds the offered rate at {at}, {other} does not "
            f"(no ratio of {ratio.quantity}: {_doubt(ratio)})"
        )
    if ratio.answer == "cannot tell":
        seen = f"; {could_have_seen(ratio.visible_percent)}" if ratio.ratio.low is not None else ""
        return f"{both} cannot be told apart at {at} (ratio of {ratio.quantity}: {_doubt(ratio)}{seen})"
    figure = f"{ratio_text(ratio.ratio)} × the {ratio.quantity} of {base} at {at} ({_doubt(ratio)})"
    return f"{figure}: {_who_is(ratio, system, base)}"


def _who_is(each: Ratio | OverallRatio, system: str, base: str) -> str:
    """Return `A is faster`, `A and B are equivalent within ±3 %`, or in which quantity alone they are."""
    if each.answer != "equivalent":
        return f"{system} is {each.answer}"
    both = f"{system} and {base}"
    return f"{both}: {answer_text(each)}" if each.apart else f"{both} are {answer_text(each)}"
