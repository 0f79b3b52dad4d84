"""Phrases that several sentences share."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from igen.judge.disturbance import Bound
from igen.judge.interval import FAMILY_ERROR
from igen.judge.load import Loaded, load_name
from igen.judge.questions import THROUGHPUT
from igen.judge.result import Estimate, Level, Point, Ratio, System
from igen.units import counted, format_number, format_rate

LEAST_PERCENT = 0.05
"""Less than this of a systematic error is not told."""
STATEMENTS = "statements"
"""Counter of a workload that is published as a rate of its own: SQL statements."""


def rate(system: System, per_s: float) -> str:
    """A throughput with its unit: `20,666 tx/s`."""
    return f"{format_rate(per_s)} {rate_unit(system)}"


def rate_unit(system: System) -> str:
    """`tx/s`, or what the workload calls its transactions."""
    return f"{'tx' if system.transaction == 'transactions' else system.transaction}/s"


def rate_with_interval(system: System, estimate: Estimate) -> str:
    """`20,666 tx/s (95 % interval 20,104 to 21,243)`."""
    if estimate.low is None or estimate.high is None:
        return f"{rate(system, estimate.value)} ({_runs(estimate.n)}: no interval)"
    interval = f"{format_rate(estimate.low)} to {format_rate(estimate.high)}"
    return f"{rate(system, estimate.value)} (95 % interval {interval})"


def below_limit_evidence(level: Level) -> str:
    """What shows that the mean response time of a level is below a limit."""
    interval = level.response_time_ms.mean_interval if level.response_time_ms else None
    if interval is None or interval.high is None:
        return f"mean of {_runs(level.throughput_per_s.n)}, which has no interval, below the limit"
    return "95 % interval of the mean below the limit"


def ratio_with_interval(ratio: Estimate) -> str:
    """`1.290 × (1.212 to 1.371)`; three decimals, because 1.002 is a difference and 1.00 is none."""
    if ratio.low is None or ratio.high is None:
        return f"{_factor(ratio.value)} ×"
    return f"{_factor(ratio.value)} × ({_factor(ratio.low)} to {_factor(ratio.high)})"


def could_have_seen(visible_percent: float | None) -> str:
    """What `cannot tell` means: how large a difference would have had to be."""
    if visible_percent is None:
        return "no difference could have been seen"
    return f"a difference of {format_number(visible_percent, 2)} % would have been seen in 4 of 5 studies"


def why_not_told(ratio: Ratio) -> str:
    """Why no difference is claimed although the interval of this question alone leaves out 1: `p = 0.091
    after Holm's correction for 4 questions`, or words about the disturbance. Empty where it does not."""
    low, high = ratio.ratio.low, ratio.ratio.high
    if ratio.answer != "cannot tell" or ratio.p is None or low is None or high is None or low <= 1 <= high:
        return ""
    if ratio.p < FAMILY_ERROR:
        return "which may be the whole difference"
    return f"p = {format_number(ratio.p, 2)} after {holms_correction(ratio.questions)}"


def holms_correction(questions: int) -> str:
    """`Holm's correction for 4 questions`."""
    return f"Holm's correction for {counted(questions, 'question')}"


def order_of_pairs(ratios: Sequence[Ratio]) -> str:
    """Return `beta first in 3 of 5 pairs, going first costs 1.2 %`; of several loads the sum and the range.

    Empty if the order is unknown.
    """
    orders = [ratio.order for ratio in ratios if ratio.order]
    if not orders:
        return ""
    first, pairs = sum(order.system_first for order in orders), sum(order.pairs for order in orders)
    text = f"{ratios[0].system} first in {first} of {counted(pairs, 'pair')}"
    sign = -1 if ratios[0].quantity == THROUGHPUT else 1
    found = [order.first_over_second for order in orders if order.first_over_second]
    costs = sorted(100 * sign * (estimate.value - 1) for estimate in found)
    return f"{text}, going first {_cost_range(costs[0], costs[-1])}" if costs else text


def _cost_range(least: float, most: float) -> str:
    if least < 0 < most:
        return f"gains up to {format_number(-least, 2)} % and costs up to {format_number(most, 2)} %"
    verb, ends = ("costs", (least, most)) if most > 0 else ("gains", (-most, -least))
    return f"{verb} {' to '.join(dict.fromkeys(format_number(end, 2) for end in ends))} %"


def assumed_noise(ratio: Ratio) -> str:
    """`4 % of noise between sessions assumed`, where nobody measured what is in the interval."""
    if not ratio.session_noise_is_assumed or ratio.session_noise_percent is None:
        return ""
    return f"{ratio.session_noise_percent:.2g} % of noise between sessions assumed"


def _runs(number: int) -> str:
    return "one run" if number == 1 else counted(number, "run")


def bound_text(bound: Bound) -> str:
    """The systematic error: `-0.42 to +9.0 %`, `0 to +9.0 %`; nothing where there is none to speak of."""
    low, high = (
        format_number(abs(end), 2) if abs(end) >= LEAST_PERCENT else ""
        for end in (bound.low_percent, bound.high_percent)
    )
    if not (low or high):
        return ""
    return f"{f'-{low}' if low else '0'} to {f'+{high}' if high else '0'} %"


def _factor(value: float) -> str:
    return f"{value:.3f}" if value < 10 else format_number(value)


def load(system: System, at: Loaded) -> str:
    """`64 users`, or `100/s` for an open load."""
    return load_name(at, by_rate=system.load_model == "open")


def load_number(system: System, at: Loaded) -> str:
    """`64`, or `100/s`: where the sentence has said of what."""
    return load(system, at).split(" ")[0]


def loads(system: System, levels: Sequence[Level]) -> str:
    """`48 to 96 users` for neighbours, else `2 users and 8 users`; `levels` in ascending order of load.

    Levels that were left out, such as INVALID ones, part their neighbours.
    """
    positions = [system.levels.index(level) for level in levels]
    if len(levels) > 1 and positions[-1] - positions[0] == len(positions) - 1:
        return f"{load_number(system, levels[0])} to {load(system, levels[-1])}"
    *names, last = [load(system, level) for level in levels]
    return f"{', '.join(names)} and {last}" if names else last


def alike_text(system: System, peak: Point) -> str:
    """Return which loads do as much as the peak: `1 to 8 users do the same within ±4 %`, or nothing."""
    if peak.alike_percent is None:
        return ""
    same = [level for level in system.levels if level.level in (peak.level, *peak.alike_levels)]
    return f"{loads(system, same)} do the same within ±{format_number(peak.alike_percent, 2)} %"


def value_text(value: Any) -> str:
    """A setting or a fact as it is written in a job, `unknown` for None."""
    if value is None:
        return "unknown"
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def efficiency_percent(efficiency: Estimate) -> str:
    """`93 % (91 to 95 %)`."""
    text = f"{100 * efficiency.value:.0f} %"
    if efficiency.low is None or efficiency.high is None:
        return text
    return f"{text} ({100 * efficiency.low:.0f} to {100 * efficiency.high:.0f} %)"
