"""An observation in words."""

from __future__ import annotations

from igen.text import Text


class Said:
    """A sentence and the evidence that carries it."""

    def __init__(self, text: str, evidence: str) -> None:
        """Keep both as texts: nothing reads them any more."""
        self.text = Text(text)
        self.evidence = Text(evidence)
