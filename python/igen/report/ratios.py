"""Forest plots: the ratio to the base at each level, a plot for each quantity that was compared."""

from __future__ import annotations

from collections.abc import Iterator

from igen.document import Forest, Picture, RatioRow
from igen.judge.result import Quantity, Ratio, Result
from igen.layout.level import LoadAxis, colour_places
from igen.layout.number import ratio as ratio_text
from igen.layout.number import ratio_interval
from igen.layout.short_names import short_names
from igen.report.ratio_table import SIGNS, one_base


def ratio_pictures(result: Result) -> list[Picture]:
    """Ratios of throughput, of mean, p99 and p99.9 response time, a picture each; none without ratios."""
    base = one_base(result)
    over = f" over {short_names(result).get(base, base)}" if base else ""
    kinds: tuple[tuple[str, str, Quantity], ...] = (
        ("ratio-throughput", f"Throughput{over}, right of 1 is faster", "throughput"),
        ("ratio-response-time", f"Mean response time{over}, left of 1 is faster", "mean response time"),
        ("ratio-p99", f"p99 response time{over}, left of 1 is faster", "p99 response time"),
        ("ratio-p999", f"p99.9 response time{over}, left of 1 is faster", "p99.9 response time"),
    )
    drawn = ((name, title, [*_rows(result, quantity)]) for name, title, quantity in kinds)
    return [
        Picture(name, title, f"{title}: {'; '.join(row.tip for row in rows)}.", Forest(title, rows))
        for name, title, rows in drawn
        if rows
    ]


def _rows(result: Result, quantity: Quantity) -> Iterator[RatioRow]:
    """Yield the ratio of each load."""
    axis = LoadAxis.of(result)
    places = colour_places(result)
    tests = {system.name: system.test for system in result.systems}
    order = [*dict.fromkeys(tests.values())]
    for ratio in sorted(
        (each for each in result.ratios if each.quantity == quantity and each.shown),
        key=lambda each: (
            order.index(tests.get(each.system, "")), axis.value(each), places.get(each.system, 0)
        ),
    ):  # fmt: skip
        name = axis.name(ratio)
        yield _row(result, ratio, f"{ratio.load}, {name}" if ratio.load else name)


def _row(result: Result, ratio: Ratio, name: str) -> RatioRow:
    short = short_names(result)
    words = ratio_text(ratio.ratio)
    if ratio.ratio.low is not None:
        words += f" ({ratio_interval(ratio.ratio)})"
    sign = SIGNS[ratio.answer]
    return RatioRow(
        name=f"{short.get(ratio.system, ratio.system)}, {name}" if len(result.systems) > 2 else name,
        value=ratio.ratio.value,
        low=ratio.ratio.low,
        high=ratio.ratio.high,
        runs=ratio.run_ratios,
        words=f"{words} {sign}".rstrip(),
        colour=colour_places(result).get(ratio.system, 0),
        told=not sign,
        tip=f"{ratio.system} over {ratio.base}, {name}: {words}, {ratio.answer}",
    )
