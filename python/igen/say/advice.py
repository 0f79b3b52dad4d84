"""A finding that comes with advice: why it matters, and what to do."""

from __future__ import annotations

from igen.text import Text


class Advice:
    """A finding as a text, why it matters, and what to do."""

    def __init__(self, found: str, why: str, remedy: str) -> None:
        """Keep them as texts: nothing reads them any more."""
        self.found = Text(found)
        self.opening = Text(f"{found[:1].upper()}{found[1:]}")
        """`found` at the start of a line."""
        self.why = Text(why)
        self.remedy = Text(remedy)
