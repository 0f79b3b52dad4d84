"""How every chart looks: colours, letters and sizes in pixels."""

from __future__ import annotations

INK = "#1f2933"
MUTED = "#66727f"
FAINT = "#8895a5"
"""For what lies behind, with little opacity: it shows on paper and on a dark page."""
AXIS = "#aab3bd"
UNKNOWN = "#8a94a0"
"""For a figure that cannot be told, or that rests on a guess."""
WHITE = "#ffffff"
PERCENTILE_COLOUR = "#D55E00"
GRID_OPACITY = 0.25
WARM_UP_OPACITY = 0.18
WIDTH, LEFT = 560, 58
"""Pixels of a picture, and of the room left of its plot: charts that stand below each other line up."""
TOP, BOTTOM = 34, 44
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
FONT_PX = 13
LABEL_PX = FONT_PX - 1
SMALL_PX = FONT_PX - 2
LINE_PX = 15.0
"""Height of a line of text."""


def width_px(text: str, font_px: float = FONT_PX) -> float:
    """Return the width of a text, on the safe side: fonts differ from one reader to the next."""
    return 0.56 * font_px * len(text)


def wrapped(text: str, most_px: float, most_lines: int = 2, font_px: float = FONT_PX) -> list[str]:
    """Return the lines of a text that has this room; what does not fit is cut with an ellipsis."""
    most = max(2, int(most_px / width_px("x", font_px)))
    lines: list[str] = []
    rest = text.strip()
    while len(rest) > most and len(lines) < most_lines - 1:
        end = rest.rfind(" ", 0, most + 1)
        end = end if end > 0 else most
        lines.append(rest[:end].rstrip())
        rest = rest[end:].lstrip()
    return [*lines, rest if len(rest) <= most else f"{rest[: most - 1].rstrip()}…"]
