"""The places of entries in the queue: a move changes one entry, so that it happens whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from igen.queue.entry import Entry


def ordered(entries: Iterable[Entry]) -> list[Entry]:
    """Entries as they stand in the queue."""
    return sorted(entries, key=lambda entry: (entry.place, entry.job))


def last_rank(entries: Iterable[Entry]) -> str:
    """A rank behind all of them."""
    return str(max((int(entry.place) for entry in entries), default=0) + 1)


def rank_before(entries: Iterable[Entry], other: Entry) -> str:
    """A rank directly before `other`, behind all that stand before it."""
    before = [entry.place for entry in entries if entry.place < other.place]
    if not before:
        return str(other.place - 1)
    return str(_simplest_between(max(before), other.place))


def _simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """The mediant lies between both, and grows by few digits a move."""
    return Fraction(low.numerator + high.numerator, low.denominator + high.denominator)
