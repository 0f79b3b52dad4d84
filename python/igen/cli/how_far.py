"""Progress of a long step, in words."""

from __future__ import annotations

from typing import Any


def how_far(progress: dict[str, Any]) -> str:
    """Return `loading orders: 400 of 1,000 rows`, or `under way: 20 s` if the amount is unknown."""
    total = f" of {progress['total']:,}" if progress["total"] else ""
    return f"{progress['text']}: {progress['done']:,}{total} {progress['unit']}"
