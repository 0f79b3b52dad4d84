"""What the runs of a level were for."""

from __future__ import annotations

from collections.abc import Sequence

from igen.judge.result import Level


def is_search(levels: Sequence[Level]) -> bool:
    """Whether the levels were chosen by a search for the peak."""
    return any(repeat.purpose in ("search", "confirm") for level in levels for repeat in level.repeats)
