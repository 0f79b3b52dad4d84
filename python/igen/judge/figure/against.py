"""The one question to a figure with an interval: is it beyond a limit?

Two limits divide the line into three parts: below the lower limit, from one limit to the other, above the
upper limit. A figure is in a part if its whole interval is. The limits themselves belong to the part between
them. If both are the same, only that very value is within.
"""

from __future__ import annotations

from math import inf
from typing import Literal

Side = Literal["above", "below", "within", "cannot tell"]


def against(ends: tuple[float, float] | None, least: float = -inf, most: float = inf) -> Side:
    """Return the side of the limits on which the whole interval is; `ends` is None without an interval."""
    if ends is None:
        return "cannot tell"
    low, high = ends
    if low > most:
        return "above"
    if high < least:
        return "below"
    return "within" if least <= low and high <= most else "cannot tell"
