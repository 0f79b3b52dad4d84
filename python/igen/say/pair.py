"""Two systems side by side: one statement for each pair, the same wherever it stands."""

from __future__ import annotations

from collections.abc import Sequence

from igen.judge.compare.pair_observations import apart, assumed_noise
from igen.judge.curve.load import side_name
from igen.judge.result import OverallRatio, Ratio
from igen.say.change import THROUGHPUT, change, change_with_interval, words_of
from igen.say.sentence import sentence
from igen.say.words import LEAST_PERCENT, could_have_seen, joined
from igen.text import Text
from igen.units import counted, format_number


def doubt(each: Ratio | OverallRatio) -> Text:
    """Return the interval of the ratio, or why there is none, and what disturbed the machine."""
    return Text(_doubt(each))


def answer_text(each: Ratio | OverallRatio) -> str:
    """Return the judge's answer: `faster`, `equivalent within ±3 %`, `throughput equivalent within ±3 %, p99
    response time 2.20 × as long (…)`."""
    if each.answer != "equivalent":
        return each.answer
    within = f"equivalent within ±{each.margin_percent:g} %"
    if not each.apart:
        return within
    others = joined([sentence([found]) for found in apart(each.apart)])
    return f"{each.quantity} {within}, {others}"


def pair_statement(ratio: Ratio, at: str, times: Ratio | None = None) -> Text:
    """Return `xfs is 20.6 % faster than ext4 at 8 users (97 % interval 17.1 to 24.2 %).`.

    `at` is the name of the load. If one of them held the offered rate and the other did not, the sentence
    says so. `times` that differ stand in the same sentence.
    """
    text = _statement(ratio, f"at {at}")
    if times is not None:
        text += f"; the {_compared(times)} ({_doubt(times)})"
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
    """Return the answer over all loads: `B is 2.1 % faster than A over 4 loads (…).`"""
    at = f"over {counted(each.loads, 'load')}"
    return Text(f"{_statement(each, at)}.")


def _percent(each: OverallRatio) -> float:
    return 100 * (each.ratio.value - 1)


def _doubt(each: Ratio | OverallRatio) -> str:
    interval = change_with_interval(each.ratio, words_of(each.quantity))
    if not interval and isinstance(each, Ratio):
        return sentence([each.findings[0]]) if each.findings else "too few runs for an interval"
    if not interval:
        return f"{counted(each.ratio.n, 'repeat')} with all loads on both sides, too few for an interval"
    doubts = [
        interval,
        *(f"with {sentence([assumed])}" for assumed in assumed_noise([each])),
    ]
    if each.disturbance_percent >= LEAST_PERCENT:
        doubts.append(f"disturbance of the machine up to {format_number(each.disturbance_percent, 2)} %")
    if each.is_left_open:
        doubts.append("which may be the whole difference")
    return ", ".join(doubts)


def _statement(each: Ratio | OverallRatio, at: str) -> str:
    """Return the answer with its figure and its doubt.

    Without an answer there is no figure, only its interval and the difference that would have been seen.
    """
    system, base = _sides(each)
    doubt = _doubt(each)
    if each.answer == "cannot tell":
        if isinstance(each, Ratio) and (holder := each.rate_holder):
            other = base if holder == each.system else system
            held = f"{side_name(holder, each.load)} holds the offered rate {at}, {other} does not"
            return f"{held} (no ratio of {each.quantity}: {doubt})"
        if each.differs_in_session:
            measured = f"{_compared(each, 'measured')} {at}, but not side by side"
            return f"{_the(each)}{measured} ({doubt}): `igen ab` decides"
        seen = f"; {could_have_seen(each.visible_percent)}" if each.ratio.low is not None else ""
        of = "" if each.quantity == THROUGHPUT else f" in {each.quantity}"
        return f"{system} and {base} cannot be told apart{of} {at} ({doubt}{seen})"
    if each.answer == "equivalent":
        are = ":" if each.apart else " are"
        return f"{system} and {base}{are} {answer_text(each)} {at} ({doubt})"
    return f"{_the(each)}{_compared(each)} {at} ({doubt})"


def _the(each: Ratio | OverallRatio) -> str:
    """Return the article at the start of a sentence; the name of a system has none."""
    return "" if each.quantity == THROUGHPUT else "The "


def _compared(each: Ratio | OverallRatio, verb: str = "is") -> str:
    """Return `xfs is 20.6 % faster than ext4`, `p99 response time of xfs is 2.20 × as long as with ext4`."""
    system, base = _sides(each)
    words = words_of(each.quantity)
    if each.quantity == THROUGHPUT:
        return f"{system} {verb} {change(each.ratio, words, base)}"
    return f"{each.quantity} of {system} {verb} {change(each.ratio, words, f'with {base}')}"


def _sides(each: Ratio | OverallRatio) -> tuple[str, str]:
    return side_name(each.system, each.load), side_name(each.base, each.load)
