"""Where a number comes from: each has a source, and a guess is marked in whatever rests on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["run", "reference", "vendor", "guess", "default"]
UNKNOWN = "unknown"
"""Source of a number that is not there yet."""
HINT = 'source = "run:ID", "reference:SET", "vendor: …" or "guess"'


@dataclass(frozen=True, slots=True)
class Source:
    """What a `source` says."""

    kind: Kind
    text: str
    """As written; of a default what rule it is."""


@dataclass(frozen=True, slots=True)
class Input:
    """A number of the file."""

    name: str
    """Its path in the file: `system.blade.price`."""
    value: float
    low: float
    high: float
    source: Source
    line: int | None = None
    outside: bool = False
    """Read off a law outside of the range that was measured."""

    @property
    def is_guess(self) -> bool:
        """Whether nobody measured it or stands for it."""
        return self.source.kind == "guess"

    @property
    def is_range(self) -> bool:
        """Whether it is known within bounds only."""
        return self.low < self.high


def source_of(text: str, references: list[str]) -> Source | str:
    """The source that a text names, or what is wrong with it; `references` are the built-in sets."""
    kind, _, rest = text.partition(":")
    rest = rest.strip()
    match kind.strip():
        case "guess":
            return Source("guess", text)
        case "vendor" | "run" as named if rest:
            return Source("vendor" if named == "vendor" else "run", text)
        case "reference":
            if rest.partition(" ")[0].rstrip(",;") in references:
                return Source("reference", text)
            return f"there is no reference `{rest}`; those that come with iGen are {', '.join(references)}"
    return f"`{text}` is no source"
