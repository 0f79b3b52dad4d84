"""Colours with a meaning, the same in charts and pages."""

from __future__ import annotations

from igen.document import Mark

SYSTEM_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#882255")
"""Okabe and Ito, and a wine of Tol's: colours that the colour-blind can tell apart, as systems take them."""
MARK_COLOURS: dict[Mark, str] = {"filled": "#1a7f4b", "diamond": "#9a5b00", "hollow": "#b3261e"}
"""Dark enough to be read as small words on white."""


def system_colour(index: int) -> str:
    """Colour of the system at this place in the result."""
    return SYSTEM_COLOURS[index % len(SYSTEM_COLOURS)]
