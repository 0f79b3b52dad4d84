"""An observation in words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence and the evidence that carries it."""

    text: str
    evidence: str
