"""The finding at the top of an estimate: how large an estate is, and if it is enough."""

from __future__ import annotations

from collections.abc import Iterator

from igen.datacenter.estimated import Answer, EstateEstimate, Estimated
from igen.judge.trust.finding import Finding, Part, finding

SHOWN = ("systems", "racks", "kw", "cost")


def headline(estate: EstateEstimate, estimated: Estimated) -> Finding:
    """Return the size of an estate and its cost next to the cost of the first estate."""
    parts = [
        part
        for answer in estate.answers
        if answer.key in SHOWN and answer.value is not None
        for part in _parts(answer)
    ]
    base = estimated.estates[0].name
    for ratio in estimated.ratios:
        if (ratio.key, ratio.of, ratio.base) == ("cost", estate.name, base):
            span = (ratio.low, ratio.high) if ratio.told else None
            parts.append(Part(name="cost_ratio", figure=ratio.value, text=base, span=span))
    if not estate.fits:
        parts.append(Part(name="does_not_fit"))
    elif estate.short_in_year is not None:
        parts.append(Part(name="short_in_year", figure=estate.short_in_year))
    return finding("estate", *parts, estate=estate.name, scope="study")


def _parts(answer: Answer) -> Iterator[Part]:
    span = None if answer.low is None else (answer.low, answer.high)
    title = answer.title.removeprefix("all, ") if answer.key == "cost" else ""
    yield Part(name=answer.key, figure=answer.value, span=span, text=title)
    if answer.guesses:
        yield Part(name="guess", text=answer.key)
    if answer.outside:
        yield Part(name="outside", text=answer.key)
